// Mistakes in directives with several attributes are errors at their tokens.
// RUN: not %tutti-xmp - clang -ferror-limit=0 %s 2>&1 | FileCheck --implicit-check-not=error: %s
int a[16];
#pragma xmp nodes p[4]
// CHECK: :[[@LINE+1]]:23: error: unknown attribute 'distribut'; did you mean 'distribute'?
#pragma xmp template, distribut[block] onto p :: t[16]
// CHECK: :[[@LINE+1]]:26: error: 'template' stands here twice
#pragma xmp template[4], template[5] :: t
// CHECK: :[[@LINE+1]]:20: error: 'nodes' and 'distribute' are of different names
#pragma xmp nodes, distribute[block] onto p :: t[16]
// CHECK: :[[@LINE+1]]:23: error: 'template' and 'shadow' are of different names
#pragma xmp template, shadow[1] :: t[16]
// CHECK: :[[@LINE+1]]:52: error: 't' has no size
#pragma xmp template, distribute[block] onto p  :: t
// CHECK: :[[@LINE+1]]:23: error: expected an attribute in front of '::'
#pragma xmp template, :: t[16]
// CHECK: :[[@LINE+1]]:34: error: expected '*', block, cyclic or gblock
#pragma xmp template, distribute[blck] onto p :: tt[16]
// CHECK: :[[@LINE+1]]:22: error: extra tokens behind 'template', whose names have sizes
#pragma xmp template @, distribute[block] onto p :: t[16]
// CHECK: :[[@LINE+1]]:21: error: extra tokens behind 'template', whose names have sizes
#pragma xmp template[4] :: t[16]
// CHECK: :[[@LINE+1]]:22: error: expected the name of a template
#pragma xmp template ::
// CHECK: :[[@LINE+2]]:27: error: 'nosuch' is not declared as a template
// CHECK: :[[@LINE+1]]:51: error: array 'a' is not aligned
#pragma xmp align[i] with nosuch[i], shadow[1] :: a
