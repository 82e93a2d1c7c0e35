// CIFAR-10 batches: the bytes are the first training batch and the test batch; the other four hold one picture each.
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  static const fuzz::Folder folder;
  static const bool filled = [] {
    for (const char* name : {"data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}) {
      folder.set(name, std::string(3073, '\1'));
    }
    return true;
  }();
  if (!filled) return;
  folder.set("data_batch_1.bin", bytes);
  folder.set("test_batch.bin", bytes);
  describe(load_dataset({.source = folder.path().string()}));
}
