// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ways to find what a scatter changed in 1 GiB: a map written by each store, a comparison on the
/// device, copying all of it. Medians of 5, as text for people.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t e = (call);                                                                        \
    if (e != cudaSuccess) {                                                                        \
      printf("%s: %s\n", #call, cudaGetErrorString(e));                                            \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

constexpr int kBits = 27;
constexpr uint32_t kN = 1u << kBits; // doubles: 1 GiB
constexpr size_t kBytes = size_t{kN} * 8;

__host__ __device__ uint32_t mix(uint32_t i) { // A bijection of kBits bits.
  constexpr uint32_t m = kN - 1;
  i = (i * 0x9E3779B1u + 0x1234567u) & m;
  i ^= i >> 13;
  i = (i * 0x85EBCA6Bu) & m;
  i ^= i >> 15;
  return (i * 0xC2B2AE35u) & m;
}

enum Pattern { kRandom, kRuns, kInOrder };

__global__ void makeIndex(uint32_t *index, uint32_t n, Pattern pattern) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    index[i] = pattern == kRandom ? mix(i)
               : pattern == kRuns ? (mix(i / 512) & (kN / 512 - 1)) * 512 + i % 512
                                  : i;
  }
}

struct Plain {
  __device__ void operator()(const double *) const {}
};

template <bool kAsk> struct ByteMap {
  unsigned char *map;
  const char *base;
  int shift;

  __device__ void operator()(const double *p) const {
    unsigned char *at = map + ((reinterpret_cast<const char *>(p) - base) >> shift);
    if (!kAsk || !*reinterpret_cast<volatile unsigned char *>(at)) {
      *at = 1;
    }
  }
};

template <bool kAsk> struct BitMap {
  unsigned *map;
  const char *base;
  int shift;

  __device__ void operator()(const double *p) const {
    size_t g = (reinterpret_cast<const char *>(p) - base) >> shift;
    unsigned bit = 1u << (g & 31);
    if (!kAsk || !(*reinterpret_cast<volatile unsigned *>(map + g / 32) & bit)) {
      atomicOr(map + g / 32, bit);
    }
  }
};

template <typename Track>
__global__ void scatter(double *y, const double *x, const uint32_t *index, uint32_t n,
                        Track track) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double *p = y + index[i];
    *p += x[i] + 1.0;
    track(p);
  }
}

// ---- From a byte map to records -----------------------------------------------------------------
__global__ void listGranules(const unsigned char *map, size_t granules, uint32_t *list,
                             unsigned *count) {
  size_t g = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  bool set = g < granules && map[g];
  unsigned votes = __ballot_sync(~0u, set);
  unsigned base = 0;
  if (threadIdx.x % 32 == 0 && votes) {
    base = atomicAdd(count, __popc(votes));
  }
  base = __shfl_sync(~0u, base, 0);
  if (set) {
    list[base + __popc(votes & ((1u << (threadIdx.x % 32)) - 1))] = g;
  }
}

__global__ void gatherGranules(const uint4 *y, const uint32_t *list, const unsigned *count,
                               int shift, uint4 *out) {
  size_t words = size_t{*count} << (shift - 4);
  for (size_t w = size_t{blockIdx.x} * blockDim.x + threadIdx.x; w < words;
       w += size_t{gridDim.x} * blockDim.x) {
    size_t slot = w >> (shift - 4), part = w & ((1u << (shift - 4)) - 1);
    out[w] = y[(size_t{list[slot]} << (shift - 4)) + part];
  }
}

// ---- Comparing
// ------------------------------------------------------------------------------------ Only marks
// granules of 1 << shift bytes.
__global__ void compareMark(const uint4 *now, const uint4 *before, size_t words, int shift,
                            unsigned char *map) {
  size_t w = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w < words) {
    uint4 a = now[w], b = before[w];
    if (((a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w)) != 0) {
      map[w >> (shift - 4)] = 1;
    }
  }
}

__device__ unsigned bytesOf(unsigned x) { // One bit for each byte that is not 0.
  unsigned m = __vcmpne4(x, 0) & 0x08040201u;
  return (m | m >> 8 | m >> 16 | m >> 24) & 15;
}

struct Record { // 40 bytes
  uint32_t granule;
  uint32_t mask;
  uint32_t words[8];
};

/// Bytes exact: granules of 32 bytes with a bit for each byte that differs.
__global__ void compareExact(const uint4 *now, const uint4 *before, size_t granules, Record *out,
                             unsigned *count) {
  size_t g = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint4 a{}, b{}, c{}, d{};
  if (g < granules) {
    a = now[2 * g], b = before[2 * g], c = now[2 * g + 1], d = before[2 * g + 1];
  }
  uint4 u{a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
  uint4 v{c.x ^ d.x, c.y ^ d.y, c.z ^ d.z, c.w ^ d.w};
  bool set = (u.x | u.y | u.z | u.w | v.x | v.y | v.z | v.w) != 0;
  unsigned votes = __ballot_sync(~0u, set);
  if (!votes) {
    return;
  }
  unsigned base = 0;
  if (threadIdx.x % 32 == 0) {
    base = atomicAdd(count, __popc(votes));
  }
  base = __shfl_sync(~0u, base, 0);
  if (set) {
    unsigned mask = bytesOf(u.x) | bytesOf(u.y) << 4 | bytesOf(u.z) << 8 | bytesOf(u.w) << 12 |
                    bytesOf(v.x) << 16 | bytesOf(v.y) << 20 | bytesOf(v.z) << 24 |
                    bytesOf(v.w) << 28;
    Record *r = out + base + __popc(votes & ((1u << (threadIdx.x % 32)) - 1));
    r->granule = g;
    r->mask = mask;
    uint2 *w = reinterpret_cast<uint2 *>(r->words);
    w[0] = {a.x, a.y}, w[1] = {a.z, a.w}, w[2] = {c.x, c.y}, w[3] = {c.z, c.w};
  }
}

/// The same with 16 bytes and 2 of mask, for the choice of a granule: 24 bytes a record.
struct Record16 {
  uint32_t granule;
  uint32_t mask;
  uint32_t words[4];
};

__global__ void compareExact16(const uint4 *now, const uint4 *before, size_t granules,
                               Record16 *out, unsigned *count) {
  size_t g = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint4 a{}, b{};
  if (g < granules) {
    a = now[g], b = before[g];
  }
  uint4 u{a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
  bool set = (u.x | u.y | u.z | u.w) != 0;
  unsigned votes = __ballot_sync(~0u, set);
  if (!votes) {
    return;
  }
  unsigned base = 0;
  if (threadIdx.x % 32 == 0) {
    base = atomicAdd(count, __popc(votes));
  }
  base = __shfl_sync(~0u, base, 0);
  if (set) {
    Record16 *r = out + base + __popc(votes & ((1u << (threadIdx.x % 32)) - 1));
    r->granule = g;
    r->mask = bytesOf(u.x) | bytesOf(u.y) << 4 | bytesOf(u.z) << 8 | bytesOf(u.w) << 12;
    uint2 *w = reinterpret_cast<uint2 *>(r->words);
    w[0] = {a.x, a.y}, w[1] = {a.z, a.w};
  }
}

cudaStream_t stream;

double host(const std::function<void()> &f) { // ms
  auto t = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count() * 1e3;
}

double median(int n, const std::function<void()> &before, const std::function<void()> &f) {
  std::vector<double> ms;
  for (int i = 0; i < n; ++i) {
    before();
    OK(cudaStreamSynchronize(stream));
    ms.push_back(host([&] {
      f();
      OK(cudaStreamSynchronize(stream));
    }));
  }
  std::sort(ms.begin(), ms.end());
  return ms[n / 2];
}

double median(const std::function<void()> &f) {
  return median(5, [] {}, f);
}

int main() {
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  double *y, *x;
  char *base, *pinned, *device;
  uint32_t *index, *list;
  unsigned char *map;
  unsigned *count;
  OK(cudaMalloc(&y, kBytes));
  OK(cudaMalloc(&x, kBytes));
  OK(cudaMalloc(&base, kBytes));
  OK(cudaMalloc(&index, kBytes / 2));
  OK(cudaMalloc(&list, kBytes / 8));
  OK(cudaMalloc(&map, kBytes / 16));
  OK(cudaMalloc(&count, 4096 * 4));
  OK(cudaMalloc(&device, kBytes / 2 * 3));
  OK(cudaHostAlloc(&pinned, kBytes / 2 * 3, cudaHostAllocMapped | cudaHostAllocPortable));
  OK(cudaMemset(y, 0, kBytes));
  OK(cudaMemset(x, 0, kBytes));
  auto *y4 = reinterpret_cast<uint4 *>(y);
  auto *b4 = reinterpret_cast<uint4 *>(base);

  printf(
      "all of it, ms: copy out %.2f; in pieces of 4 MiB, each waited for, %.2f; copy in %.2f\n",
      median([&] { OK(cudaMemcpyAsync(pinned, y, kBytes, cudaMemcpyDeviceToHost, stream)); }),
      median([&] {
        for (size_t at = 0; at < kBytes; at += 4 << 20) {
          OK(cudaMemcpyAsync(pinned + at, (char *)y + at, 4 << 20, cudaMemcpyDeviceToHost, stream));
          OK(cudaStreamSynchronize(stream));
        }
      }),
      median([&] { OK(cudaMemcpyAsync(y, pinned, kBytes, cudaMemcpyHostToDevice, stream)); }));
  {
    std::vector<char> other;
    double copy = host([&] { other.assign(pinned, pinned + kBytes); });
    volatile int differs = 0;
    double compare = host([&] { differs = memcmp(other.data(), pinned, kBytes); });
    printf("host, one thread, ms: a copy %.1f, comparing (memcmp) %.1f\n", copy, compare);
  }
  printf("device memory of 1 GiB, ms:\n");
  for (int i = 0; i < 3; ++i) {
    void *p;
    double take = host([&] { OK(cudaMalloc(&p, kBytes)); });
    double give = host([&] { OK(cudaFree(p)); });
    printf("  take %.3f give back %.3f\n", take, give);
  }
  OK(cudaMemsetAsync(y, 0, kBytes, stream));
  printf("copy on the device %.3f ms\n",
         median([&] { OK(cudaMemcpyAsync(base, y, kBytes, cudaMemcpyDeviceToDevice, stream)); }));

  struct Case {
    const char *name;
    Pattern pattern;
    uint32_t n;
  };

  for (Case c : {Case{"random, 1 %", kRandom, kN / 100},
                 {"runs of 4 KiB, 1 %", kRuns, kN / 100},
                 {"random, all", kRandom, kN},
                 {"in order, all", kInOrder, kN}}) {
    makeIndex<<<1024, 256, 0, stream>>>(index, c.n, c.pattern);
    OK(cudaStreamSynchronize(stream));
    unsigned blocks = (c.n + 255) / 256;
    double plain = median([&] { scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n, Plain{}); });
    printf("\n%s: kernel %.3f ms\n", c.name, plain);
    for (int shift : {5, 6, 8, 10, 12}) {
      size_t granules = kBytes >> shift;
      auto clear = [&] { OK(cudaMemsetAsync(map, 0, granules, stream)); };
      double bytes = median(5, clear, [&] {
        scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n,
                                            ByteMap<false>{map, (char *)y, shift});
      });
      unsigned changed = 0;
      auto toList = [&] {
        OK(cudaMemsetAsync(count, 0, 4, stream));
        listGranules<<<(granules + 255) / 256, 256, 0, stream>>>(map, granules, list, count);
        OK(cudaMemcpyAsync(&changed, count, 4, cudaMemcpyDeviceToHost, stream));
      };
      double list_ms = median(toList);
      double gather_ms = 0, out_ms = 0;
      size_t size = size_t{changed} << shift;
      gather_ms = median([&] {
        gatherGranules<<<2048, 256, 0, stream>>>(y4, list, count, shift, (uint4 *)device);
      });
      out_ms = median([&] {
        OK(cudaMemcpyAsync(pinned, device, size + changed * 4, cudaMemcpyDeviceToHost, stream));
      });
      double askBytes = median(5, clear, [&] {
        scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n, ByteMap<true>{map, (char *)y, shift});
      });
      double bits = median(5, clear, [&] {
        scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n,
                                            BitMap<false>{(unsigned *)map, (char *)y, shift});
      });
      double askBits = median(5, clear, [&] {
        scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n,
                                            BitMap<true>{(unsigned *)map, (char *)y, shift});
      });
      double clear_ms = median(clear);
      printf("  map of %4d B: kernel with bytes %.3f (+%.0f %%), asked first %.3f, with bits %.3f, "
             "asked first %.3f; clear %.3f, list %.3f, gather %.3f, out %.3f for %.4f GiB; in all "
             "over the plain kernel %.3f ms\n",
             1 << shift, bytes, (bytes / plain - 1) * 100, askBytes, bits, askBits, clear_ms,
             list_ms, gather_ms, out_ms, size / 1073741824.0,
             bytes - plain + clear_ms + list_ms + gather_ms + out_ms);
    }
    auto prepare = [&] {
      OK(cudaMemcpyAsync(base, y, kBytes, cudaMemcpyDeviceToDevice, stream));
      scatter<<<blocks, 256, 0, stream>>>(y, x, index, c.n, Plain{});
    };
    prepare();
    OK(cudaStreamSynchronize(stream));
    for (int shift : {6, 8, 10, 12}) {
      double mark = median([&] {
        compareMark<<<kBytes / 16 / 256, 256, 0, stream>>>(y4, b4, kBytes / 16, shift, map);
      });
      printf("  compare, mark granules of %4d B: %.3f ms\n", 1 << shift, mark);
    }
    for (size_t piece :
         {kBytes, size_t{256} << 20, size_t{64} << 20, size_t{32} << 20, size_t{16} << 20}) {
      for (bool toHost : {false, true}) {
        char *out = toHost ? pinned : device;
        size_t total = 0;
        auto run = [&](bool is16) {
          total = 0;
          OK(cudaMemsetAsync(count, 0, 4096 * 4, stream));
          unsigned got = 0;
          for (size_t at = 0, k = 0; at < kBytes; at += piece, ++k) {
            if (is16) {
              compareExact16<<<piece / 16 / 256, 256, 0, stream>>>(
                  y4 + at / 16, b4 + at / 16, piece / 16, (Record16 *)out, count + k);
            } else {
              compareExact<<<piece / 32 / 256, 256, 0, stream>>>(
                  y4 + at / 16, b4 + at / 16, piece / 32, (Record *)out, count + k);
            }
            OK(cudaMemcpyAsync(&got, count + k, 4, cudaMemcpyDeviceToHost, stream));
            OK(cudaStreamSynchronize(stream));
            size_t bytes = size_t{got} * (is16 ? 24 : 40);
            total += bytes;
            if (!toHost) {
              OK(cudaMemcpyAsync(pinned, out, bytes, cudaMemcpyDeviceToHost, stream));
              OK(cudaStreamSynchronize(stream));
            }
          }
        };
        double ms = median([&] { run(false); });
        double bytes32 = total / 1073741824.0;
        double ms16 = median([&] { run(true); });
        printf(
            "  compare exactly, pieces of %4zu MiB, records %s: 32 B %.3f ms (%.4f GiB), 16 B %.3f "
            "ms (%.4f GiB)\n",
            piece >> 20, toHost ? "written to the host" : "copied out", ms, bytes32, ms16,
            total / 1073741824.0);
      }
    }
  }
  return 0;
}
