// Read bandwidth of the memory levels of one NVIDIA GPU, one JSON line a result.
//
// Build: nvcc -O3 -std=c++17 -arch=sm_90 bandwidth.cu -o bandwidth
// All threads of all SMs read 16 bytes at a time and add up what they read; the sum
// must be the known one. A set of addresses is read many times in one launch, so sets
// that fit a level are served from it.
#include <numeric>
#include <vector>

#include "device.cuh"

constexpr u32 THREADS = 1024, HASH = 2654435761u;

__global__ void fill(u32* at, size_t n) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    at[i] = u32(i) * HASH;
}

template <Path path>
__device__ u32 load(const uint4* at) {
  u32 a, b, c, d;
  if (path == SHARED)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c),
                 "=r"(d) : "r"(u32(__cvta_generic_to_shared(at))));
  if (path == VIA_L1)
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b),
                 "=r"(c), "=r"(d) : "l"(at));
  if (path == VIA_L2)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b),
                 "=r"(c), "=r"(d) : "l"(at));
  return a + b + c + d;
}

// Each thread reads `steps` words of 16 bytes, `rounds` times, and adds them up.
// VIA_L2: one set for all blocks. VIA_L1, SHARED: a set of its own for each block.
template <Path path>
__global__ void read(const uint4* from, u32 steps, u32 rounds, u32* sums, Result* out) {
  extern __shared__ uint4 own[];
  u32 stride = path == VIA_L2 ? gridDim.x * THREADS : THREADS, set = steps * stride;
  u32 i = threadIdx.x + (path == VIA_L2 ? blockIdx.x * THREADS : 0), sum = 0;
  if (path != VIA_L2) from += blockIdx.x * set;
  if (path == SHARED) {
    for (u32 k = threadIdx.x; k < set; k += THREADS) own[k] = from[k];
    from = own;
  }
  __syncthreads();
  Clock start = now();
#pragma unroll 8
  for (u32 k = 0; k < steps * rounds; ++k) {
    sum += load<path>(from + i);
    i = min(i + stride, i + stride - set);  // unsigned: back to the start after the end
  }
  sums[blockIdx.x * THREADS + threadIdx.x] = sum;
  __syncthreads();
  if (!threadIdx.x && !blockIdx.x) report(out, start, 0);
}

template <Path path>
static void bandwidth(const char* name, u32 blocks, u32 steps, u32 rounds) {
  size_t n = size_t(blocks) * steps * THREADS * 4;  // 32-bit words
  u32 *from, *sums, want = u32(n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) * HASH * rounds;
  size_t shared = path == SHARED ? size_t(steps) * THREADS * 16 : 0;
  std::vector<u32> got(blocks * THREADS);
  cudaEvent_t start, stop;
  ok(cudaMalloc(&from, n * 4));
  ok(cudaMalloc(&sums, got.size() * 4));
  ok(cudaEventCreate(&start));
  ok(cudaEventCreate(&stop));
  ok(cudaFuncSetAttribute(read<path>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  fill<<<1024, 1024>>>(from, n);
  for (int repeat = 0; repeat < 6; ++repeat) {  // the first one warms up
    float ms;
    ok(cudaMemset(sums, 0xff, got.size() * 4));
    ok(cudaEventRecord(start));
    read<path><<<blocks, THREADS, shared>>>((uint4*)from, steps, rounds, sums, d_out);
    ok(cudaEventRecord(stop));
    Result r = take();
    ok(cudaEventElapsedTime(&ms, start, stop));
    ok(cudaMemcpy(got.data(), sums, got.size() * 4, cudaMemcpyDeviceToHost));
    must(std::accumulate(got.begin(), got.end(), 0u) == want, "a read gave a wrong sum");
    if (repeat)
      std::printf("{\"what\": \"bandwidth\", \"level\": \"%s\", \"bytes\": %zu, \"read\": %.0f, "
                  "\"ms\": %.5f, \"mhz\": %.1f}\n",
                  name, n * 4, 4.0 * n * rounds, ms, 1e3 * r.cycles / r.ns);
  }
  ok(cudaFree(from));
  ok(cudaFree(sums));
}

int main() {
  u32 blocks = 2 * start_up();  // two blocks an SM
  bandwidth<SHARED>("shared", blocks, 6, 2000);
  bandwidth<VIA_L1>("l1", blocks, 4, 2000);
  for (u32 steps : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 32, 64, 256})
    bandwidth<VIA_L2>("any", blocks, steps, 4096 / steps);
  bandwidth<VIA_L2>("hbm", blocks, 960, 4);
}
