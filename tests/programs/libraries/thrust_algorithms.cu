// Thrust, as people use it: vectors, transforms with lambdas, reductions, scans, sorts by key, unique counts,
// searches.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  constexpr int n = 5000;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = (i * 7919) % 1009;
  std::vector<int> own(host.begin(), host.end());
  thrust::device_vector<int> values = host, out(n);

  thrust::transform(values.begin(), values.end(), thrust::counting_iterator<int>(0), out.begin(),
                    [] __device__(int v, int i) { return 3 * v - i; });
  long long sum = thrust::reduce(out.begin(), out.end(), 0ll);
  long long expected = 0;
  for (int i = 0; i < n; ++i)
    expected += 3 * own[i] - i;
  printf("transform and reduce %lld %s\n", sum, sum == expected ? "right" : "WRONG");

  thrust::inclusive_scan(values.begin(), values.end(), out.begin());
  std::vector<int> scanned(n), got(n);
  std::partial_sum(own.begin(), own.end(), scanned.begin());
  thrust::copy(out.begin(), out.end(), got.begin());
  printf("scan %d\n", got == scanned);

  thrust::device_vector<int> order(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n));
  thrust::stable_sort_by_key(values.begin(), values.end(), order.begin());
  std::vector<int> own_order(n);
  std::iota(own_order.begin(), own_order.end(), 0);
  std::stable_sort(own_order.begin(), own_order.end(), [&](int a, int b) { return own[a] < own[b]; });
  thrust::copy(order.begin(), order.end(), got.begin());
  printf("sort by key %d\n", got == own_order);

  thrust::device_vector<int> keys(n), counts(n);
  auto ends = thrust::reduce_by_key(values.begin(), values.end(), thrust::constant_iterator<int>(1),
                                    keys.begin(), counts.begin());
  std::sort(own.begin(), own.end());
  auto distinct = std::unique(own.begin(), own.end()) - own.begin();
  int counted = thrust::reduce(counts.begin(), ends.second);
  printf("distinct %d %s, counted %d\n", static_cast<int>(ends.first - keys.begin()),
         ends.first - keys.begin() == distinct ? "right" : "WRONG", counted);
  int place = static_cast<int>(thrust::lower_bound(values.begin(), values.end(), 500) - values.begin());
  printf("lower bound of 500 at %d\n", place);
}
