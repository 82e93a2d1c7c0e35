#include <mpi.h>

#include <chrono>
#include <thread>

#include "distributed/distributed.hpp"

namespace priorfit::internal {
namespace {

constexpr int question_tag = 71, answer_tag = 72;
constexpr auto glance = std::chrono::milliseconds(1);

void send(const std::string& words, int to, int tag) {
  MPI_Send(words.data(), static_cast<int>(words.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

std::string receive(int from, int tag) {
  MPI_Status status;
  MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string words(static_cast<std::size_t>(size), '\0');
  MPI_Recv(words.data(), size, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return words;
}

class Ranks : public ExperimentElsewhere {
 public:
  explicit Ranks(const World& world) : world_(world) {}

  bool leads() const override { return world_.rank() == 0; }
  double least(double value) const override { return world_.least(value); }

  std::string ask(const std::string& question) override {
    send(question, 0, question_tag);
    return receive(0, answer_tag);
  }

  void serve(const Answer& answer, std::stop_token stop) override {
    for (int asking = world_.size() - 1; asking > 0 && !stop.stop_requested();) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, question_tag, MPI_COMM_WORLD, &there, &status);
      if (!there) {
        std::this_thread::sleep_for(glance);  // waiting in MPI would take a core
        continue;
      }
      const Reply reply = answer(status.MPI_SOURCE, receive(status.MPI_SOURCE, question_tag));
      send(reply.words, status.MPI_SOURCE, answer_tag);
      asking -= reply.last;
    }
  }

 private:
  const World& world_;
};

}  // namespace

std::shared_ptr<ExperimentElsewhere> experiment_of_all(const World& world) { return std::make_shared<Ranks>(world); }

}  // namespace priorfit::internal
