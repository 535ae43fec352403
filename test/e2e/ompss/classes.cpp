// Copies of objects: made when the task is, destroyed when its life is over; lambdas and members.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static int alive = 0;

struct Counted {
  int value;

  explicit Counted(int v = 0) : value(v) { count(1); }

  Counted(const Counted &other) : value(other.value + 1) { count(1); }

  ~Counted() { count(-1); }

  static void count(int by) { __atomic_fetch_add(&alive, by, __ATOMIC_RELAXED); }
};

struct Owner {
  int member = 3;
  int array[4] = {1, 2, 3, 4};
  int *pointer = array;

  void run() {
    for (int i = 0; i < 4; i++) {
#pragma oss task inout(array[i]) in(member)
      array[i] = array[i] * 10 + member;
#pragma oss task inout(this->pointer[i])
      pointer[i] += 1;
    }
#pragma oss task inout(member)
    member *= 2;
#pragma oss taskwait
  }
};

template <int bytes> struct alignas(bytes) Aligned {
  char cells[bytes] = {};
};

/// The compiler takes addresses of such objects for what they have to be.
template <class T> int misses(const T &object) {
  auto address = reinterpret_cast<std::uintptr_t>(&object);
  asm("" : "+r"(address));
  return address % alignof(T) != 0;
}

/// Copies that follow some of other sizes, and keep their places.
template <int bytes> int misalignedCopies() {
  int count[20] = {0};
  Aligned<bytes> object;
  for (int i = 0; i < 20; i++) {
#pragma oss task out(count[i])
    count[i] = misses(object);
#pragma oss task firstprivate(i) shared(count) in(count[i])
    if (i < 0) {
      count[i] = 1;
    }
  }
#pragma oss taskwait
  int sum = 0;
  for (int each : count) {
    sum += each;
  }
  return sum;
}

template <class T> T chain(T start, int n) {
  T value = start;
  for (int i = 0; i < n; i++) {
#pragma oss task inout(value) firstprivate(i)
    value = value * 2 + static_cast<T>(i);
  }
#pragma oss taskwait
  return value;
}

struct Pair {
  long up, down;
};

#pragma oss declare reduction(both : Pair : omp_out.up += omp_in.up, omp_out.down += omp_in.down)    \
    initializer(omp_priv = {0, 0})

/// Static members are reduced under each of their names, by whatever stands in the body.
template <class T> struct Tally {
  static T sum, cells[3];
  static Pair pair;

  void run(int n) {
    for (int i = 0; i < n; i++) {
#pragma oss task reduction(+ : sum, cells) reduction(both : pair)
      {
        auto add = [](T x) { sum += x; };
        add(static_cast<T>(i));
        this->sum += 1;
        for (T &cell : cells) {
          cell += static_cast<T>(i);
        }
        pair.up += i;
        Tally::pair.down -= i;
      }
    }
#pragma oss taskloop reduction(+ : sum) grainsize(5)
    for (int i = 0; i < n; i++) {
      sum += static_cast<T>(i);
    }
#pragma oss taskwait
  }
};

template <class T> T Tally<T>::sum;
template <class T> T Tally<T>::cells[3];
template <class T> Pair Tally<T>::pair;

using Ints = Tally<int>;

static void members() {
  Ints().run(30);
  Tally<double>().run(20);
#pragma oss task weakreduction(+ : Ints::sum)
  for (int i = 0; i < 20; i++) {
#pragma oss task reduction(+ : ::Ints::sum)
    Tally<int>::sum += i + static_cast<int>(Tally<double>::cells[0]);
  }
#pragma oss taskwait
  std::printf("members %d %d %ld %ld\n", Tally<int>::sum, Tally<int>::cells[2], Tally<int>::pair.up,
              Tally<int>::pair.down);
  std::printf("members %g %g %ld\n", Tally<double>::sum, Tally<double>::cells[0],
              Tally<double>::pair.down);
}

int main() {
  members();
  int seen[6] = {0};
  {
    Counted c(10);
    for (int i = 0; i < 6; i++) {
#pragma oss task out(seen[i]) shared(seen)
      seen[i] = c.value > 10 ? 1 : 0;
      c.value++;
    }
#pragma oss taskwait
  }
  std::printf("objects %d alive %d\n", seen[5], alive);

  std::printf("misaligned %d %d %d %d\n", misalignedCopies<64>(), misalignedCopies<128>(),
              misalignedCopies<256>(), misalignedCopies<4096>());

  std::string text = "abc";
  std::vector<int> numbers{1, 2, 3};
  std::size_t length = 0;
#pragma oss task shared(length)
  {
    auto own = text + "def";
    length = own.size() * 10 + numbers.size();
  }
#pragma oss taskwait
  std::printf("library %zu %zu %zu\n", length, text.size(), numbers.size());

  Owner owner;
  owner.run();
  std::printf("members %d %d %d\n", owner.member, owner.array[0], owner.array[3]);
  std::printf("templates %d %.1f\n", chain(1, 10), chain(1.5, 4));

  std::vector<int> cells(8, 1);
  auto step = [&](int k, int by) {
#pragma oss task inout(cells[k])
    cells[k] = cells[k] * 3 + by;
  };
  for (int i = 0; i < 40; i++) {
    step(i % 8, i);
  }
#pragma oss taskwait
  int total = 0;
  for (int c : cells) {
    total = total * 7 + c;
  }
  std::printf("lambdas %d\n", total);

  int order = 0;
  auto shared = std::make_shared<int>(5);
  for (int i = 0; i < 3; i++) {
#pragma oss task inout(order)
    order = order * 10 + *shared + static_cast<int>(shared.use_count() > 0);
  }
  int &alias = order;
#pragma oss task inout(alias)
  alias += 1000;
#pragma oss taskwait
  std::printf("pointers %d\n", order);

  int caught = 0;
  for (int i = 0; i < 4; i++) {
#pragma oss task inout(caught)
    try {
      if (i % 2) {
        throw i;
      }
      caught += 10;
    } catch (int e) {
      caught += e;
    }
  }
#pragma oss taskwait
  std::printf("exceptions %d\n", caught);
}
