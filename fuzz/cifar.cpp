// CIFAR-10 batches: the bytes are the first training batch and the test batch; the other four hold one picture each.
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  const fuzz::MemoryFile file(bytes), picture(std::string(3073, '\1'));
  const fuzz::Folder folder;
  folder.add("data_batch_1.bin", file);
  for (const char* name : {"data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}) {
    folder.add(name, picture);
  }
  folder.add("test_batch.bin", file);
  describe(load_dataset({.source = folder.path().string()}));
}
