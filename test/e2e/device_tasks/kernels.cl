struct Pair { float scale; int shift; };

__kernel void axpy(long n, double a, __global const double *x, __global double *y) {
  long i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}

__kernel void transpose(int rows, int columns, __global const float *from, __global float *to) {
  int c = get_global_id(0), r = get_global_id(1);
  if (r < rows && c < columns) to[c * rows + r] = from[r * columns + c];
}

__kernel void number(__global int *cells) {
  int i = (get_global_id(2) * 4 + get_global_id(1)) * 5 + get_global_id(0);
  cells[i] = i;
}

__kernel void sums(long groups, __global const int *x, __global int *sums, __local int *scratch) {
  int item = get_local_id(0);
  scratch[item] = x[get_global_id(0)];
  for (int step = 8; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < step) scratch[item] += scratch[item + step];
  }
  if (item == 0) sums[get_group_id(0)] = scratch[0];
}

__kernel void kinds(char c, uchar u, short s, int i, uint v, long l, float f, double d, struct Pair p, __global double *all) {
  *all = c + u + s + i + v + l + f + d + p.scale * 3 + p.shift;
}

__kernel void smooth(long n, __global const double *from, __global double *to) {
  long i = get_global_id(0);
  if (i > 0 && i + 1 < n) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 4;
}

__kernel void grind(long turns, __global double *x) {
  for (long turn = 0; turn < turns; turn++) x[0] = x[0] * 0.5 + 1;
}

__kernel void later(long first, long n, __global double *x) {
  long i = get_global_id(0);
  if (i < n) x[first + i] = -x[first + i];
}
