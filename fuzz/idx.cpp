// IDX files. The first two bytes are the length of the images; the labels follow them.
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  if (bytes.size() < 2) return;
  const std::size_t length = static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
  bytes.remove_prefix(2);
  const fuzz::MemoryFile images(bytes.substr(0, length)), labels(bytes.substr(std::min(length, bytes.size())));
  const fuzz::Folder folder;
  for (const char* part : {"train", "t10k"}) {
    folder.add(std::string(part) + "-images-idx3-ubyte", images);
    folder.add(std::string(part) + "-labels-idx1-ubyte", labels);
  }
  describe(load_dataset({.source = folder.path().string()}));
}
