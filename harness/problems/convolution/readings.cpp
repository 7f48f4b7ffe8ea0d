// The readings of convolutions that are mistaken, each with the finding that names it.
#include "harness/problems/convolution/readings.h"

namespace ridge::problems {

namespace {

constexpr int64_t kNone = -1;
constexpr int64_t kVector = 8, kStep = 64;  // channels of a load, and of a k-step

int64_t row_of(const ConvolutionShape& s, Place at, Point point) {
  return at.p * s.stride + point.i - s.padding;
}
int64_t column_of(const ConvolutionShape& s, Place at, Point point) {
  return at.q * s.stride + point.j - s.padding;
}
int64_t pixel_at(const ConvolutionShape& s, int64_t image, int64_t row, int64_t column, int64_t first = 0) {
  const bool is_inside = row >= first && row < s.h && column >= first && column < s.w;
  return is_inside ? (image * s.h + row) * s.w + column : kNone;
}

// ---- pixels ----

int64_t turned_around(const ConvolutionShape& s, Place at, Point point) {
  return pixel_under(s, at, {s.r - 1 - point.i, s.r - 1 - point.j});
}
int64_t rows_and_columns_exchanged(const ConvolutionShape& s, Place at, Point point) {
  return pixel_under(s, at, {point.j, point.i});
}
int64_t stride_on_points(const ConvolutionShape& s, Place at, Point point) {
  return pixel_at(s, at.image, at.p + point.i * s.stride - s.padding, at.q + point.j * s.stride - s.padding);
}
int64_t stride_on_points_too(const ConvolutionShape& s, Place at, Point point) {
  return pixel_under(s, at, {point.i * s.stride, point.j * s.stride});
}
int64_t no_padding(const ConvolutionShape& s, Place at, Point point) {
  return pixel_at(s, at.image, row_of(s, at, point) + s.padding, column_of(s, at, point) + s.padding);
}
int64_t columns_not_compared(const ConvolutionShape& s, Place at, Point point) {
  const int64_t row = row_of(s, at, point), pixel = row * s.w + column_of(s, at, point);
  return row >= 0 && row < s.h && pixel >= 0 && pixel < s.h * s.w ? at.image * s.h * s.w + pixel : kNone;
}
int64_t columns_not_compared_over_images(const ConvolutionShape& s, Place at, Point point) {
  const int64_t row = row_of(s, at, point);
  return row >= 0 && row < s.h ? (at.image * s.h + row) * s.w + column_of(s, at, point) : kNone;
}
int64_t rows_not_compared(const ConvolutionShape& s, Place at, Point point) {
  const int64_t column = column_of(s, at, point);
  return column >= 0 && column < s.w ? (at.image * s.h + row_of(s, at, point)) * s.w + column : kNone;
}
int64_t first_left_out(const ConvolutionShape& s, Place at, Point point) {
  return pixel_at(s, at.image, row_of(s, at, point), column_of(s, at, point), 1);
}
int64_t first_row_left_out(const ConvolutionShape& s, Place at, Point point) {
  return row_of(s, at, point) == 0 ? kNone : pixel_under(s, at, point);
}
int64_t last_left_out(const ConvolutionShape& s, Place at, Point point) {
  const bool is_last = row_of(s, at, point) == s.h - 1 || column_of(s, at, point) == s.w - 1;
  return is_last ? kNone : pixel_under(s, at, point);
}

// ---- weights ----

int64_t as_rskc(const ConvolutionShape& s, int64_t k, Point point, int64_t channel) {
  return ((point.i * s.r + point.j) * s.k + k) * s.c + channel;
}
int64_t as_kcrs(const ConvolutionShape& s, int64_t k, Point point, int64_t channel) {
  return ((k * s.c + channel) * s.r + point.i) * s.r + point.j;
}
// All points of 8 channels first.
int64_t by_vectors(const ConvolutionShape& s, int64_t k, Point point, int64_t channel) {
  return k * s.terms() + (channel / kVector * s.r * s.r + point.i * s.r + point.j) * kVector + channel % kVector;
}
// All points of 64 channels first; the filter has no channels beyond its last.
int64_t by_steps(const ConvolutionShape& s, int64_t k, Point point, int64_t channel) {
  const int64_t per_point = (s.c + kStep - 1) / kStep, points = s.r * s.r,
                step = (point.i * s.r + point.j) * per_point + channel / kStep,
                read = step / points * kStep + channel % kStep;
  return read < s.c ? (k * points + step % points) * s.c + read : kNone;
}

// The answer of a kernel that reads in this way.
template <auto pixel>
std::vector<Expected> read_pixels(const Case& given) {
  return convolved(given, {.pixel = pixel});
}
template <auto weight>
std::vector<Expected> read_weights(const Case& given) {
  return convolved(given, {.weight = weight});
}

}  // namespace

int64_t pixel_under(const ConvolutionShape& s, Place at, Point point) {
  return pixel_at(s, at.image, row_of(s, at, point), column_of(s, at, point));
}

std::vector<Mistake> mistakes_of_convolutions() {
  return {{"wrong.filter_turned_around", read_pixels<turned_around>},
          {"wrong.filter_transposed", read_pixels<rows_and_columns_exchanged>},
          {"wrong.stride_on_points", read_pixels<stride_on_points>},
          {"wrong.stride_on_points", read_pixels<stride_on_points_too>},
          {"wrong.padding_forgotten", read_pixels<no_padding>},
          {"wrong.columns_not_compared", read_pixels<columns_not_compared>},
          {"wrong.columns_not_compared", read_pixels<columns_not_compared_over_images>},
          {"wrong.rows_not_compared", read_pixels<rows_not_compared>},
          {"wrong.border_left_out", read_pixels<first_left_out>},
          {"wrong.border_left_out", read_pixels<first_row_left_out>},
          {"wrong.border_left_out", read_pixels<last_left_out>},
          {"wrong.filter_order", read_weights<as_rskc>},
          {"wrong.filter_order", read_weights<as_kcrs>},
          {"wrong.filter_order", read_weights<by_vectors>},
          {"wrong.filter_order", read_weights<by_steps>}};
}

}  // namespace ridge::problems
