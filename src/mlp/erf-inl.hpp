// The error function on vectors, in two pieces whose coefficients erf_coefficients.py prints, highest power first.
#include <hwy/highway.h>

#include <cstddef>

#if defined(PRIORFIT_ERF_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIORFIT_ERF_INL
#undef PRIORFIT_ERF_INL
#else
#define PRIORFIT_ERF_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, std::size_t count, class V = hn::Vec<D>>
HWY_INLINE V Polynomial(D d, V x, const hn::TFromD<D> (&coefficients)[count]) {
  V sum = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < count; ++i) sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  return sum;
}

template <typename T>
struct ErfTables;

template <>
struct ErfTables<float> {
  // relative error at most 1.3e-9 for x² <= 1
  static constexpr float erf_over_x[] = {7.875875063e-05F, -0.0008016864287F, 0.005189087423F, -0.02685421201F,
                                         0.1128359472F,    -0.3761262667F,    1.128379166F};
  // relative error at most 5.3e-9 for x <= 10.1
  static constexpr float scaled_erfc[] = {-0.0001113432676F, -0.0001665586477F, 0.001025856385F, -0.0004056392689F,
                                          -0.008945480788F,  0.03984242547F,    -0.1034888782F,  0.1967428059F,
                                          -0.2944648202F,    0.3580023021F};
};

template <>
struct ErfTables<double> {
  // relative error at most 8.1e-18 for x² <= 1
  static constexpr double erf_over_x[] = {
      -7.795898827002142242e-10,  1.37200645467776856e-8,   -1.62084838018717059e-7,   1.644742470331736241e-6,
      -0.00001492473690741966034, 0.0001205529490483970792, -0.0008548325975389692081, 0.005223977607116422732,
      -0.02686617064323777036,    0.1128379167094500627,    -0.3761263890318354044,    1.128379167095512567};
  // relative error at most 1.8e-17 for x <= 27.3
  static constexpr double scaled_erfc[] = {
      -5.438981689146350065e-10, -2.145509677654928053e-9,   8.312587216370008882e-10,  1.632095304869856156e-8,
      1.338685410787595863e-8,   -7.778819203933766036e-8,   -1.342040338730320379e-7,  3.332039812345566501e-7,
      9.208157251551649745e-7,   -1.583273785648977208e-6,   -5.823182058991015838e-6,  0.00001013279916085259384,
      0.00003585375466753071307, -0.00009225929950313978527, -0.0001827698873658798135, 0.001011354002618884962,
      -0.0004041388764874841103, -0.008942411541644499962,   0.03984258709579206409,    -0.1034890873001844841,
      0.1967427857013668612,     -0.2944648177232945847,     0.3580023023627799017};
};

// erf(x)/x from x², for |x| <= 1
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ErfOverX(D d, V square) {
  return Polynomial(d, square, ErfTables<hn::TFromD<D>>::erf_over_x);
}

// e^(x²) erfc(x) for x >= 0, finite where e^(−x²) is 0
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ScaledErfc(D d, V x) {
  using T = hn::TFromD<D>;
  const V t = hn::Div(hn::Set(d, T{3}), hn::Add(hn::Set(d, T{3}), x));
  const V centred = hn::NegMulAdd(hn::Set(d, T{2}), t, hn::Set(d, T{1}));
  return hn::Mul(t, Polynomial(d, centred, ErfTables<T>::scaled_erfc));
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#endif
