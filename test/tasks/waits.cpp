// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ways in which tasks wait: if(0), final, events, onready, blocking, timers, critical; and what is
/// theirs when they go on.
#include "include/tutti/ompss/alpi.h"
#include "include/tutti/ompss/nanos6/blocking.h"
#include "include/tutti/ompss/nanos6/cluster.h"
#include "include/tutti/ompss/nanos6/debug.h"
#include "include/tutti/ompss/nanos6/events.h"
#include "include/tutti/ompss/nanos6/task-instantiation.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

void ifZero() {
  int value = 0;
  int seen = -1;
  task([&value] { value = 7; }).out(value).submit();
  task([&value, &seen] { seen = value; }).in(value).option(TUTTI_TASK_IF, 0).submit();
  expect(seen == 7, "an undeferred task honours its dependences and is complete");
  std::atomic<bool> hasHappened{false};
  task([&hasHappened] {
    void *counter = nanos6_get_current_event_counter();
    nanos6_increase_current_task_event_counter(counter, 2);
    task([counter, &hasHappened] {
      nanos6_wait_for(2000);
      hasHappened = true;
      nanos6_decrease_task_event_counter(counter, 2);
    }).submit();
  })
      .option(TUTTI_TASK_IF, 0)
      .submit();
  expect(hasHappened, "an undeferred task is complete when its events have happened");
  wait();
}

void final() {
  std::vector<int> order;
  int value = 0;
  expect(nanos6_in_final() == 0, "main is not final");
  task([&order, &value] {
    expect(nanos6_in_final() == 1, "in a final task");
    for (int index = 0; index < 3; ++index) {
      task([&order, index] {
        expect(nanos6_in_final() == 1, "in a task below a final one");
        task([&order, index] { order.push_back(2 * index); }).submit();
        order.push_back(2 * index + 1);
      })
          .inout(value)
          .submit();
    }
    expect(order == std::vector<int>{0, 1, 2, 3, 4, 5}, "below a final task all runs in order");
  })
      .option(TUTTI_TASK_FINAL, 1)
      .submit();
  wait();
  expect(order.size() == 6, "a final task runs");
}

void events() {
  int value = 0;
  std::atomic<void *> counter{nullptr};
  std::atomic<bool> isOver{false};
  task([&] {
    void *own = nanos6_get_current_event_counter();
    nanos6_increase_current_task_event_counter(own, 1);
    value = 1;
    counter = own;
  })
      .out(value)
      .submit();
  task([&] { isOver = value == 2; }).in(value).submit();
  std::thread outside([&] {
    while (!counter) {
      std::this_thread::yield();
    }
    expect(!isOver, "what comes after waits for the event");
    value = 2;
    nanos6_decrease_task_event_counter(counter, 1);
  });
  wait();
  expect(isOver, "an event from outside lets the next task go");
  outside.join();
}

/// A task whose function answers for `onready`.
struct Ready {
  tutti_task_block head;
  std::atomic<void *> *counter;
  std::atomic<int> *asked;
  std::atomic<int> *run;
};

std::int32_t readyEntry(std::int32_t, void *memory) {
  auto &block = *static_cast<Ready *>(memory);
  if (tutti_task_asks() == TUTTI_ASKS_ONREADY) {
    ++*block.asked;
    void *counter = nanos6_get_current_event_counter();
    nanos6_increase_current_task_event_counter(counter, 1);
    *block.counter = counter;
  } else {
    expect(*block.asked == 1, "a task is asked before it runs");
    ++*block.run;
  }
  return 0;
}

void onready(bool isDeferred) {
  std::atomic<void *> counter{nullptr};
  std::atomic<int> asked{0};
  std::atomic<int> run{0};
  std::thread outside([&] {
    while (!counter) {
      std::this_thread::yield();
    }
    expect(run == 0, "a task is queued when what it has bound when ready has happened");
    nanos6_decrease_task_event_counter(counter, 1);
  });
  auto *block =
      reinterpret_cast<Ready *>(tutti_task_create(TUTTI_TASK_TIED, sizeof(Ready), 0, readyEntry));
  block->counter = &counter;
  block->asked = &asked;
  block->run = &run;
  tutti_task_begin("by_hand.cpp:2", "ready", TUTTI_TASK_ONREADY);
  tutti_task_option(TUTTI_TASK_IF, isDeferred ? 1 : 0);
  tutti_task_submit(&block->head);
  if (!isDeferred) {
    expect(run == 1, "an undeferred task that is asked has run");
  }
  wait();
  expect(run == 1 && asked == 1, "a task that is asked runs once");
  outside.join();
}

void blocking() {
  std::atomic<void *> context{nullptr};
  std::atomic<int> step{0};
  task([&] {
    void *own = nanos6_get_current_blocking_context();
    context = own;
    nanos6_block_current_task(own);
    ++step;
    own = nanos6_get_current_blocking_context();
    nanos6_unblock_task(own);
    nanos6_block_current_task(own);
    ++step;
  }).submit();
  task([&] {
    while (!context) {
      nanos6_wait_for(100);
    }
    nanos6_unblock_task(context);
  }).submit();
  wait();
  expect(step == 2, "a blocked task goes on, and one that was unblocked before does not stop");
  context = nullptr;
  task([&] {
    alpi_task *own = nullptr;
    expect(alpi_task_self(&own) == ALPI_SUCCESS && own, "a task knows itself");
    context = own;
    alpi_task_block(own);
    ++step;
  }).submit();
  std::thread outside([&] {
    while (!context) {
      std::this_thread::yield();
    }
    alpi_task_unblock(static_cast<alpi_task *>(context.load()));
  });
  wait();
  outside.join();
  expect(step == 3, "a thread of the program unblocks");
}

void manyBlocked() {
  constexpr int kTasks = 2000;
  std::vector<std::atomic<void *>> contexts(kTasks);
  std::atomic<int> done{0};
  for (auto &context : contexts) {
    task([&context, &done] {
      void *own = nanos6_get_current_blocking_context();
      context = own;
      nanos6_block_current_task(own);
      ++done;
    }).submit();
  }
  for (auto &context : contexts) {
    while (!context) {
      nanos6_wait_for(100);
    }
    nanos6_unblock_task(context);
  }
  wait();
  expect(done == kTasks, "as many tasks as there are may block");
}

void critical() {
  static void *lock = nullptr;
  int count = 0;
  for (int index = 0; index < 200; ++index) {
    task([&count] {
      tutti_task_critical_begin(&lock);
      const int before = count;
      if (before % 20 == 0) {
        int child = 0;
        task([&child] { child = 1; }).submit();
        wait();
        nanos6_wait_for(50);
        expect(child == 1, "a task may wait while it has the lock");
      }
      count = before + 1;
      tutti_task_critical_end(&lock);
    }).submit();
  }
  wait();
  expect(count == 200, "one at a time is in a critical section");
}

/// What the thread has for the task is still there after it has waited, whatever others did.
void state() {
  std::atomic<int> done{0};
  for (int index = 0; index < 50; ++index) {
    task([index, &done] {
      const int rounding = index % 2 == 0 ? FE_UPWARD : FE_TONEAREST;
      std::fesetround(rounding);
      try {
        throw std::runtime_error(std::to_string(index));
      } catch (const std::exception &) {
        errno = index;
        task([] {
          errno = 4711;
          expect(!std::current_exception(), "another task's exception is not seen");
        }).submit();
        wait();
        nanos6_wait_for(100);
        expect(errno == index, "errno is the task's");
        expect(std::fegetround() == rounding, "rounding is the task's");
        try {
          throw;
        } catch (const std::runtime_error &again) {
          expect(again.what() == std::to_string(index), "exceptions in flight are the task's");
        }
      }
      std::fesetround(FE_TONEAREST);
      ++done;
    }).submit();
  }
  wait();
  expect(done == 50, "all tasks with a state of their own run");
}

void namedWait() {
  int a = 0;
  int b = 0;
  std::atomic<bool> mayEnd{false};
  task([&a] { a = 1; }).out(a).submit();
  task([&b, &mayEnd] {
    while (!mayEnd) {
      nanos6_wait_for(100);
    }
    b = 1;
  })
      .out(b)
      .submit();
  tutti_task_wait_begin("by_hand.cpp:3");
  tutti_task_access(TUTTI_TASK_IN, &a, sizeof a);
  tutti_task_wait_end();
  expect(a == 1 && b == 0, "a wait for some memory leaves other tasks alone");
  mayEnd = true;
  wait();
  expect(b == 1, "a wait for all");
}

void spawned() {
  static std::atomic<int> run{0};
  static std::atomic<int> over{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([] {
      for (int turn = 0; turn < 500; ++turn) {
        nanos6_spawn_function(
            [](void *) {
              ++run;
              task([] { ++run; }).submit();
            },
            nullptr, [](void *) { ++over; }, nullptr, "spawned");
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  while (over != 2000) {
    nanos6_wait_for(100);
  }
  expect(run == 4000, "functions are spawned from any thread, and are over with their children");
}

/// A thread that is no worker makes tasks and waits for them.
void foreign() {
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  long first = 0;
  task([&first] { first = 1; }).out(first).submit();
  for (int index = 0; index < 3; ++index) {
    threads.emplace_back([&done] {
      long sum = 0;
      for (int turn = 0; turn < 100; ++turn) {
        task([&sum] { ++sum; }).inout(sum).submit();
      }
      wait();
      expect(sum == 100, "a thread of the program waits for its tasks");
      task([&done] { ++done; }).option(TUTTI_TASK_IF, 0).submit();
    });
  }
  for (std::thread &thread : threads) {
    thread.join(); // Main's worker, which may be the only one, runs nothing meanwhile.
  }
  expect(done == 3, "tasks of threads that main joins run");
  wait();
  expect(first == 1, "what main had made before is run, too");
}

/// Everything of ALPI that has a counterpart in the older interface does the same.
void alpi() {
  struct Shared {
    std::atomic<alpi_task *> task{nullptr};
    std::atomic<int> seen{0};
    std::atomic<bool> isOver{false};
  };

  Shared shared;
  int value = 0;
  task([&] {
    alpi_task *own = nullptr;
    std::uint64_t hasEvents = 7;
    expect(alpi_task_self(&own) == ALPI_SUCCESS, "a task knows itself");
    expect(alpi_task_events_test(own, &hasEvents) == ALPI_SUCCESS && hasEvents == 0, "no events");
    expect(alpi_task_events_increase(own, 2) == ALPI_SUCCESS, "a task binds events");
    expect(alpi_task_events_test(own, &hasEvents) == ALPI_SUCCESS && hasEvents == 1, "events");
    value = 3;
    shared.task = own;
  })
      .out(value)
      .submit();
  task([&] { shared.seen = value; }).in(value).submit();
  const auto body = [](void *argument) {
    Shared &shared = *static_cast<Shared *>(argument);
    std::uint64_t took = 0;
    do {
      expect(alpi_task_waitfor_ns(1000, &took) == ALPI_SUCCESS && took > 0, "a task sleeps");
    } while (!shared.task);
    alpi_task_events_decrease(shared.task, 1);
    expect(shared.seen == 0, "a task with an event left is not complete");
    alpi_task_events_decrease(shared.task, 1);
  };
  const auto over = [](void *argument) { static_cast<Shared *>(argument)->isOver = true; };
  alpi_attr *attributes = nullptr;
  expect(alpi_attr_create(&attributes) == ALPI_SUCCESS &&
             alpi_attr_init(attributes) == ALPI_SUCCESS,
         "attributes are made");
  expect(alpi_task_spawn(body, &shared, over, &shared, "spawned", attributes) == ALPI_SUCCESS,
         "a function is spawned");
  wait();
  while (!shared.isOver) {
    nanos6_wait_for(100);
  }
  std::uint64_t bytes = 1;
  expect(alpi_attr_size(&bytes) == ALPI_SUCCESS && bytes == 0, "there are no attributes to keep");
  alpi_attr_destroy(attributes);
  int major = 0;
  int minor = -1;
  expect(alpi_version_get(&major, &minor) == ALPI_SUCCESS && major == ALPI_VERSION_MAJOR &&
             minor == ALPI_VERSION_MINOR,
         "there is a version");
  std::array<char, 4> text{};
  int length = 0;
  expect(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text.data(), text.size(), &length) == ALPI_SUCCESS &&
             length == 3 && std::string_view(text.data()) == "Tut",
         "a text is cut off");
  expect(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text.data(), 0, nullptr) == ALPI_ERR_PARAMETER,
         "no text fits into nothing");
  expect(std::string_view(alpi_error_string(ALPI_ERR_PARAMETER)) == "invalid parameter" &&
             std::string_view(alpi_error_string(-1)) == "no error code",
         "errors have texts");
  expect(shared.seen == 3, "what waits for events goes on with the last of them");
  expect(alpi_version_check(ALPI_VERSION_MAJOR, ALPI_VERSION_MINOR) == ALPI_SUCCESS &&
             alpi_version_check(ALPI_VERSION_MAJOR + 1, 0) == ALPI_ERR_VERSION,
         "the version is known");
  expect(alpi_feature_check(ALPI_SUPPORTED_FEATURES) == ALPI_SUCCESS &&
             alpi_feature_check(ALPI_FEATURE_SUSPEND << 1) == ALPI_ERR_FEATURE_UNKNOWN,
         "features are known");
}

/// What a program may ask of its processors and ranks.
void places() {
  nanos6_wait_for_full_initialization();
  const unsigned workers = nanos6_get_num_cpus();
  std::uint64_t count = 0;
  expect(workers > 0 && nanos6_get_total_num_cpus() >= workers, "there are workers");
  expect(alpi_cpu_count(&count) == ALPI_SUCCESS && count == workers, "ALPI counts the same");
  for (int index = 0; index < 20; ++index) {
    task([workers] {
      std::uint64_t id = 0;
      expect(nanos6_get_current_virtual_cpu() < workers, "a task is run by one of the workers");
      expect(alpi_cpu_logical_id(&id) == ALPI_SUCCESS && id < workers, "ALPI says the same");
      expect(nanos6_get_current_system_cpu() >= 0 && alpi_cpu_system_id(&id) == ALPI_SUCCESS,
             "on a processor");
    }).submit();
  }
  expect(nanos6_in_serial_context() == 0, "main is not final");
  task([] {
    expect(nanos6_in_serial_context() == 1, "nothing runs beside a final task's children");
  })
      .option(TUTTI_TASK_FINAL, 1)
      .submit();
  wait();
  expect(nanos6_is_master_node() == 1 && nanos6_get_cluster_node_id() == 0, "main is on rank 0");
  expect((nanos6_get_num_cluster_nodes() > 1) == (nanos6_in_cluster_mode() == 1),
         "several ranks are a cluster");
}

} // namespace

int main() {
  ifZero();
  final();
  events();
  onready(true);
  onready(false);
  blocking();
  manyBlocked();
  critical();
  state();
  namedWait();
  spawned();
  foreign();
  alpi();
  places();
  std::puts("passed");
}
