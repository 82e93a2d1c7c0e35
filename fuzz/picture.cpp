// PNG and JPEG pictures, by themselves and in a folder of two classes.
#include "data/picture.hpp"
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  const auto format = internal::picture_format(bytes);
  if (!format) return;
  const internal::Picture picture = internal::decode(bytes, *format, bytes.size() % 2 == 0 ? 1 : 3);
  if (!picture.problem.empty() || picture.shape.width * picture.shape.height > 100000) return;
  static const fuzz::Folder folder{"a/1.png", "b/1.png"};
  for (const char* name : {"a/1.png", "b/1.png"}) folder.set(name, bytes);
  describe(load_dataset({.source = folder.path().string()}));
}
