#define N 19
#define M 4

extern double table[N][M];
extern int *numbers;
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(3)] onto p
#pragma xmp align table[i][*] with t[i]
#pragma xmp align numbers[i] with t[i]

void fill(int k);
