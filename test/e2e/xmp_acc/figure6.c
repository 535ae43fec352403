// Figure 6 of the paper on XcalableMP-ACC as it is printed, completed to a program. Its time is called
// as the template is.
#include <math.h>
#include <stdio.h>
#define N 210
#define TIME_STEP 4
#define G 6.67e-3
#define EPSILON 1e-4
#define DT 0.01
double p_x[N], p_y[N], p_z[N], m[N], v_x[N], v_y[N], v_z[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align [i] with t(i) :: p_x, p_y, p_z, m, v_x, v_y, v_z
#pragma xmp shadow [*] :: p_x, p_y, p_z, m

int main(void) {
  int i, t;
#pragma xmp loop on t(i)
  for (i = 0; i < N; i++) {
    p_x[i] = sin(i);
    p_y[i] = cos(i * 0.7);
    p_z[i] = sin(i * 1.3 + 1);
    m[i] = 1 + i % 5;
    v_x[i] = v_y[i] = v_z[i] = 0;
  }
#pragma xmp reflect (m)
#pragma xmp acc replicate (p_x, p_y, p_z, m, v_x, v_y, v_z)
  {
#pragma xmp acc replicate_sync in (m, v_x, v_y, v_z)

    for (t = 0; t < TIME_STEP; t++) {
#pragma xmp reflect p_x, p_y, p_z
#pragma xmp acc replicate_sync in (p_x, p_y, p_z)
#pragma xmp loop on t(i) acc
      for (i = 0; i < N; i++) {
        double x_i, y_i, z_i, x_j, y_j, z_j, dx, dy, dz, r2, r, a;
        double acc_x = 0, acc_y = 0, acc_z = 0;
        x_i = p_x[i];    y_i = p_y[i];    z_i = p_z[i];
        for (int j = 0; j < N; j++)
          if (i != j) {
            x_j = p_x[j]; y_j = p_y[j]; z_j = p_z[j];
            dx = x_j - x_i; dy = y_j - y_i; dz = z_j - z_i;
            r2 = (dx * dx) + (dy * dy) + (dz * dz) + EPSILON;
            r = sqrt(r2); a = G * m[j] / r2;
            acc_x += a*(x_j-x_i)/r;  acc_y += a*(y_j-y_i)/r;  acc_z += a*(z_j-z_i)/r; }
        v_x[i] += acc_x * DT;    v_y[i] += acc_y * DT;    v_z[i] += acc_z * DT; }
#pragma xmp loop on t(i) acc
      for (i = 0; i < N; i++) {
        p_x[i] += v_x[i] * DT;    p_y[i] += v_y[i] * DT;    p_z[i] += v_z[i] * DT; }

#pragma xmp acc replicate_sync out (p_x, p_y, p_z)
    } // for (t = 0; t < TIME_STEP; t++)

  } // #pragma xmp acc replicate
  double x = 0, y = 0, z = 0;
#pragma xmp loop on t(i) reduction(+ : x, y, z)
  for (i = 0; i < N; i++) {
    x += p_x[i] * (i % 3);
    y += p_y[i] * (i % 4);
    z += p_z[i] * (i % 5);
  }
#pragma xmp task on p[0]
  printf("%.10g %.10g %.10g\n", x, y, z);
  return 0;
}
