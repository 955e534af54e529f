// Latency of registers and memory levels of one NVIDIA GPU, one JSON line a result.
//
// Build: nvcc -O3 -std=c++17 -arch=sm_90 latency.cu -o latency
// A pointer chase: one thread follows a random cycle of addresses, one a 128-byte line,
// so each load waits for the one before it. Every chase must end where the host's walk
// ends. Arithmetic is timed the same way: a chain in which each step needs the last.
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "device.cuh"

constexpr u32 LINE = 128;

template <Path path>
__device__ void follow(u64& p) {
  if (path == SHARED) asm volatile("ld.shared.u64 %0, [%0];" : "+l"(p));
  if (path == VIA_L1) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
  if (path == VIA_L2) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
}

// Follow `hops` pointers on SM `where`, after `warm` untimed ones, through `lines` lines.
template <Path path>
__global__ void chase(const u64* cycle, u32 lines, u32 warm, u32 hops, u32 where,
                      Result* out) {
  extern __shared__ u64 tile[];
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != where || atomicExch(&out->claimed, 1ull)) return;  // one block a launch
  u64 base = path == SHARED ? u64(__cvta_generic_to_shared(tile)) : u64(cycle), p = base;
  if (path == SHARED)
    for (u32 i = 0; i < lines; ++i)
      tile[i * (LINE / 8)] = cycle[i * (LINE / 8)] - u64(cycle) + base;
  for (u32 i = 0; i < warm; ++i) follow<path>(p);
  Clock from = now();
#pragma unroll 16
  for (u32 i = 0; i < hops; ++i) follow<path>(p);
  report(out, from, p - base);
}

// fma or 2^−x on registers: `chains` chains a thread, each step waiting for its last.
template <bool exponential, int chains>
__global__ void arithmetic(u32 steps, float* sink, Result* out) {
  float x[chains], sum = 0;
  for (int c = 0; c < chains; ++c) x[c] = 1e-3f * (threadIdx.x + c);
  __syncthreads();
  Clock from = now();
#pragma unroll (256 / chains)
  for (u32 i = 0; i < steps; ++i)
#pragma unroll
    for (int c = 0; c < chains; ++c) {
      if (exponential)  // 2^−x stays near 0.64; the sign costs nothing
        asm volatile("{neg.f32 %0, %0; ex2.approx.ftz.f32 %0, %0;}" : "+f"(x[c]));
      else asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[c]) : "f"(0.5f));
    }
  for (int c = 0; c < chains; ++c) sum += x[c];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (!threadIdx.x && !blockIdx.x) report(out, from, 0);
}

// One random cycle through all lines of `bytes` (Sattolo), each line holding the next.
template <Path path>
static void latency(const char* name, size_t bytes, u32 sms, u32 hops) {
  u32 n = bytes / LINE, warm = bytes > 128 * MB ? 0 : n;
  std::vector<u32> next(n);
  std::vector<u64> lines(bytes / 8);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 random(bytes);
  for (u32 i = n - 1; i; --i) std::swap(next[i], next[random() % i]);
  u64 *cycle, end = 0;
  char* flush;
  ok(cudaMalloc(&cycle, bytes));
  ok(cudaMalloc(&flush, 512 * MB));
  for (u32 i = 0; i < n; ++i) lines[i * (LINE / 8)] = u64(cycle) + u64(next[i]) * LINE;
  ok(cudaMemcpy(cycle, lines.data(), bytes, cudaMemcpyHostToDevice));
  for (u32 i = 0; i < warm + hops; ++i) end = next[end];
  for (u32 sm = 0; sm < sms; ++sm) {
    ok(cudaMemset(flush, sm, 512 * MB));  // what L2 held is gone
    chase<path><<<1024, 1, path == SHARED ? bytes : 0>>>(cycle, n, warm, hops, sm, d_out);
    Result r = take();
    must(r.end == end * LINE, "a chase ended at the wrong line");
    std::printf("{\"what\": \"latency\", \"level\": \"%s\", \"bytes\": %zu, \"sm\": %u, "
                "\"cycles\": %.2f, \"ns\": %.2f}\n",
                name, bytes, sm, double(r.cycles) / hops, double(r.ns) / hops);
  }
  ok(cudaFree(cycle));
  ok(cudaFree(flush));
}

template <bool exponential, int chains>
static void operation(const char* name, u32 blocks, u32 threads) {
  u32 steps = 1 << 16;
  float* sink;
  ok(cudaMalloc(&sink, blocks * threads * 4));
  for (int repeat = 0; repeat < 6; ++repeat) {
    arithmetic<exponential, chains><<<blocks, threads>>>(steps, sink, d_out);
    Result r = take();
    if (repeat)
      std::printf("{\"what\": \"%s\", \"threads\": %u, \"chains\": %d, \"cycles\": %.3f, "
                  "\"per_clock\": %.3f, \"mhz\": %.1f}\n",
                  name, threads, chains, double(r.cycles) / steps,
                  double(chains) * threads * steps / r.cycles, 1e3 * r.cycles / r.ns);
  }
  ok(cudaFree(sink));
}

int main() {
  u32 sms = start_up();
  for (int i = 0; i < 20; ++i) operation<false, 4>("warm-up", sms, 1024);
  operation<false, 1>("fma", 1, 32);
  operation<true, 1>("exp2", 1, 32);
  operation<false, 4>("fma", sms, 1024);
  operation<true, 4>("exp2", sms, 1024);
  latency<SHARED>("shared", 32 * KB, 1, 1 << 18);
  latency<VIA_L1>("l1", 32 * KB, 1, 1 << 18);
  latency<VIA_L2>("l2", 8 * MB, sms, 1 << 16);
  latency<VIA_L2>("hbm", 1024 * MB, sms, 1 << 15);
  for (size_t b = 16 * KB; b <= 1024 * MB; b *= 2) {
    latency<VIA_L1>("any", b, 1, 1 << 16);
    if (b < 512 * MB) latency<VIA_L1>("any", b / 2 * 3, 1, 1 << 16);
  }
}
