int fib(int n);
void fibs(int n);
int total(void);
