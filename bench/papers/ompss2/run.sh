#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: run.sh TASKS EXPLICIT   (the two programs, see README.md)
# Prints seconds of each program in four ways, and ours over the best of the others.
set -eu
tasks=$1
byhand=$2
printf '%-28s %10s %10s %10s %10s %8s\n' program copies managed ours resident "best/ours"
while read -r program n block rounds; do
  set -- "$program" "$n" "$block" "$rounds"
  copies=$("$byhand" "$program" copies "$n" "$block" "$rounds")
  resident=$("$byhand" "$program" resident "$n" "$block" "$rounds")
  managed=$("$tasks" "$program" managed "$n" "$block" "$rounds")
  ours=$("$tasks" "$program" heap "$n" "$block" "$rounds")
  for result in "$resident" "$managed" "$ours"; do
    [ "${result#* }" = "${copies#* }" ] || echo "DIFFERS: $copies and $result"
  done
  echo "$program $n $block x$rounds ${copies% *} ${managed% *} ${ours% *} ${resident% *}" | awk '{
    best = $5 < $6 ? $5 : $6
    printf "%-28s %10.4f %10.4f %10.4f %10.4f %8.2f\n", $1 " " $2 " " $3 " " $4, $5, $6, $7, $8, best / $7 }'
done <<END
axpy 67108864 1048576 1
axpy 67108864 1048576 20
axpy 67108864 65536 20
multiply 2048 256 1
multiply 4096 512 1
multiply 4096 512 4
END
