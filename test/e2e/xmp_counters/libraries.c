// Prints which libraries of devices the program has opened by the end of its loops.
#include <stdio.h>
#include <string.h>

#define N 1000
double a[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]

static void step(void) {
#ifdef ACC
#pragma xmp acc replicate(a)
  {
#pragma xmp acc replicate_sync in(a)
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
      a[i] += i;
    }
#pragma xmp acc replicate_sync out(a)
  }
#else
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    a[i] += i;
  }
#pragma xmp reflect(a)
#endif
}

int main(void) {
  for (int k = 0; k < 3; k++) {
    step();
  }
  FILE *const maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    found |= strstr(line, "libOpenCL") || strstr(line, "libpocl") || strstr(line, "libcuda");
  }
  puts(found ? "devices" : "no devices");
  return maps == NULL;
}
