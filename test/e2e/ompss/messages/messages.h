// A library for messages in one process that knows tasks: a task that sends or receives goes on, or
// ends, when the message has come.
#pragma once

void startMessages(void);
void stopMessages(void);

// Bound to the calling task: what follows it waits for them.
void sendBound(const double *from, long count, int tag);
void receiveBound(double *to, long count, int tag);

// Block the calling task.
void sendBlocking(const double *from, long count, int tag);
void receiveBlocking(double *to, long count, int tag);

// So many events of the calling task, each of which happens some time later.
void bindLater(int count);
