__kernel void touch_cells(__global uint *m, int first, int count, int from, int length, uint v) {
  for (int i = from; i < from + length; i++) v = v * 31 + m[i];
  for (int i = first; i < first + count; i++) m[i] = m[i] * 17 + v + i;
}
