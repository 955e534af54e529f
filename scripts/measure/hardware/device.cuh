// What latency.cu and bandwidth.cu share: checked calls, clocks, one result a launch.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u32 = uint32_t;
using u64 = uint64_t;
enum Path { SHARED, VIA_L1, VIA_L2 };  // where a load is served from
constexpr size_t KB = 1024, MB = 1024 * KB;

static void must(bool good, const char* why) {
  if (good) return;
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}
static void ok(cudaError_t s) { must(s == cudaSuccess, cudaGetErrorString(s)); }

struct Result {
  u64 end, cycles, ns;
  unsigned long long claimed;
};
struct Clock { u64 cycles, ns; };
__device__ Clock now() {
  Clock c;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c.ns)::"memory");
  c.cycles = clock64();
  return c;
}
__device__ void report(Result* out, Clock from, u64 end) {
  Clock to = now();
  out->end = end, out->cycles = to.cycles - from.cycles, out->ns = to.ns - from.ns;
}

static Result* d_out;
static Result take() {  // the result of the launch before, and NaN-like bits for the next
  Result r, blank = {~0ull, ~0ull, ~0ull, 0};
  ok(cudaGetLastError());
  ok(cudaMemcpy(&r, d_out, sizeof r, cudaMemcpyDeviceToHost));
  ok(cudaMemcpy(d_out, &blank, sizeof r, cudaMemcpyHostToDevice));
  return r;
}

// Ready the result and give the number of SMs.
static u32 start_up() {
  cudaDeviceProp gpu;
  ok(cudaGetDeviceProperties(&gpu, 0));
  ok(cudaMalloc(&d_out, sizeof(Result)));
  take();
  return gpu.multiProcessorCount;
}
