// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Pointers in the program's memory that lead outside of it: to what the C library has allocated
/// or holds itself, and to constants. Some iterations follow them, others have written by then.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400 };

typedef struct Item {
  const char *text;
  struct Item *next;
} Item;

static double written[N];

/// Adds to what was there: an iteration that ran twice would show.
static void measure(Item **heads, double *lengths, long *letters, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (const Item *item = heads[i]; item; item = item->next) {
      for (const char *letter = item->text; *letter; ++letter) {
        lengths[i] += 1.0;
        sum += *letter;
      }
    }
    written[i] += i;
  }
  *letters += sum;
}

/// A pointer that is only compared, whatever it leads to, does no harm.
static int count(Item **heads, const char *wanted, int n) {
  int found = 0;
#pragma omp parallel for reduction(+ : found)
  for (int i = 0; i < n; ++i) {
    for (const Item *item = heads[i]; item; item = item->next) {
      found += item->text == wanted;
    }
  }
  return found;
}

/// Would not end if the table of letters looked empty.
static void skip(Item **heads, int *where, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    const Item *item = heads[i * 7 % n];
    const char *letter = item->text;
    while (*letter != 'z') {
      ++letter;
    }
    where[i] += (int)(letter - item->text) + 1;
  }
}

static char *copyOf(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return strcpy(copy, text);
}

static void report(const char *name, const double *lengths, long letters) {
  double sum = 0.0;
  for (int i = 0; i < N; ++i) {
    sum += lengths[i] * (i % 7) + written[i];
  }
  printf("%s: %g %ld\n", name, sum, letters);
}

int main(void) {
  Item **heads = calloc(N, sizeof *heads);
  Item *items = calloc(2 * N, sizeof *items);
  double *lengths = calloc(N, sizeof *lengths);
  int *where = calloc(N, sizeof *where);
  long letters = 0;
  char text[40];
  for (int i = 0; i < 2 * N; ++i) {
    snprintf(text, sizeof text, "item %d, and so on: z", i * i);
    items[i] = (Item){copyOf(text), heads[i / 2]};
    heads[i / 2] = &items[i];
  }
  measure(heads, lengths, &letters, N);
  report("all inside", lengths, letters);
  printf("%d\n", count(heads, items[11].text, N));

  // One in the middle of a part, in the last iteration, and in the first one.
  static const int kStrays[] = {N - 90, N - 1, 0};
  for (int stray = 0; stray < 3; ++stray) {
    heads[kStrays[stray]]->text = stray == 1 ? "a constant z" : strdup("a copy of the library's z");
    measure(heads, lengths, &letters, N);
    report("stray", lengths, letters);
    printf("%d\n", count(heads, heads[0]->text, N));
    skip(heads, where, N);
    printf("%d %d\n", where[kStrays[stray]], where[7]);
  }
  return 0;
}
