// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CMake precompiles headers for a target, and others reuse them: this is all such a target has.
int main() {
  return 0;
}
