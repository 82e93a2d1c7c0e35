// An experiment whose cells several processes do, while one of them alone has the database (src/distributed). The
// others ask it for cells and bring it what came out (desk.hpp); how the words travel is not known here.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace priorfit::internal {

class ExperimentElsewhere {
 public:
  struct Reply {
    std::string words;
    bool last = false;  // nothing more will be asked by the same process
  };
  /// who: the number of the process that asks
  using Answer = std::function<Reply(int who, const std::string& question)>;

  virtual ~ExperimentElsewhere() = default;
  /// Whether this process is the one that has the database.
  virtual bool leads() const = 0;
  /// The least of what each process brings, told to all of them: each makes this call at the same place.
  virtual double least(double value) const { return value; }
  /// Of the others: waits for the answer.
  virtual std::string ask(const std::string& question) = 0;
  /// Of the one that leads, in a thread of its own: until each of the others has had its last answer, or `stop`.
  virtual void serve(const Answer& answer, std::stop_token stop) = 0;
};

}  // namespace priorfit::internal
