// PNG and JPEG pictures, by themselves and in folders of classes. How long the file is chooses how the folder looks.
#include "data/picture.hpp"

#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"

PRIORFIT_MUTATE(mutate_picture)

namespace {

using namespace priorfit;

// Three by two, grey.
constexpr std::string_view sound(
    "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\003\000\000\000\002"
    "\010\000\000\000\000\270\037\071\306\000\000\000\020\111\104\101\124\170\234\143\140\144\142\146"
    "\140\141\145\003\000\000\106\000\026\167\365\310\177\000\000\000\000\111\105\116\104\256\102\140"
    "\202",
    73);

const fuzz::Folder& folder(std::size_t form, std::string_view bytes) {
  static const fuzz::Folder alone, beside, split, strange;
  switch (form) {
    case 0:
      for (const char* name : {"a/1.png", "b/1.png"}) alone.set(name, bytes);
      return alone;
    case 1:
      beside.set("a/1.JPG", bytes);
      for (const char* name : {"a/2.png", "b/1.png"}) beside.set(name, sound);
      for (const char* name : {"a/.hidden.png", "b/notes.txt"}) beside.set(name, "x");
      beside.set("b/broken.jpeg", "neither");
      return beside;
    case 2:
      for (const char* name : {"train/a/1.png", "test/b/1.png"}) split.set(name, bytes);
      split.set("train/b/1.png", sound);
      return split;
    default:
      strange.set("train/a/1.png", bytes);
      strange.set("val/unknown/1.png", sound);
      return strange;
  }
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  const auto format = internal::picture_format(bytes);
  if (!format) return;
  const internal::Picture picture = internal::decode(bytes, *format, bytes.size() % 2 == 0 ? 1 : 3);
  if (picture.shape.width * picture.shape.height > 100000) return;
  LoadOptions options{.source = folder(bytes.size() % 16 == 15 ? 3 : bytes.size() % 3, bytes).path().string()};
  if (bytes.size() % 5 == 1) options.pictures = {2, 5, bytes.size() % 2 == 0 ? 1 : 3};
  if (bytes.size() % 64 == 1) options.task = Task::regression;
  describe(load_dataset(options));
}
