#include "experiment/desk.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "experiment/messages.hpp"
#include "priorfit/error.hpp"
#include "support/stopwatch.hpp"

namespace priorfit::internal {
namespace {

constexpr auto wait_between_questions = std::chrono::milliseconds(200);

enum class Question : char { cell, score, training };
enum class Answer : char { cell, wait, nothing_left, taken, too_late, failed };

template <typename... Parts>
std::string words(const Parts&... parts) {
  Packer packer;
  (packer.add(parts), ...);
  return packer.bytes();
}

}  // namespace

Desk::Desk(std::filesystem::path database, Kinds kinds, const JudgingMemory& memory, std::chrono::milliseconds patience,
           std::string checksum, bool classification)
    : database_(std::move(database)),
      kinds_(std::move(kinds)),
      memory_(memory),
      patience_(patience),
      checksum_(std::move(checksum)),
      classification_(classification) {}

ExperimentElsewhere::Reply Desk::answer(int who, const std::string& question) noexcept {
  try {
    return reply_to(who, question);
  } catch (const Error& error) {
    return {words(Answer::failed, error.kind(), std::string(error.what())), true};
  } catch (const std::exception& error) {
    return {words(Answer::failed, ErrorKind::internal, std::string(error.what())), true};
  }
}

ExperimentElsewhere::Reply Desk::reply_to(int who, const std::string& question) {
  Unpacker unpacker(question);
  const auto asked = unpacker.take<Question>();
  Helper& helper = helpers_[who];
  if (asked == Question::cell) {
    helper.heartbeat.reset();
    helper.owner = unpack_owner(unpacker);
    if (unpacker.take_text() != checksum_) {
      throw Error(ErrorKind::data, "it read other data under the same name than rank 0");
    }
    const Room room = memory_.room(unpacker.take<double>());
    if (!helper.store) {  // in the thread that asks: SQLite's connections belong to one
      helper.store = std::make_unique<Store>(database_, Database::Mode::existing, helper.owner);
      helper.store->set_patience(patience_);
    }
    if (const std::optional<Cell> cell = helper.store->claim(kinds_, room)) {
      helper.heartbeat = std::make_unique<Heartbeat>(database_, helper.owner, *cell);
      Packer packer;
      packer.add(Answer::cell);
      pack(packer, *cell);
      return {packer.bytes()};
    }
    for (const Cell& cell : helper.store->cells()) {
      if (kinds_.contains(cell.kind) && !cell.done) return {words(Answer::wait)};
    }
    return {words(Answer::nothing_left), true};
  }
  const Cell cell = unpack_cell(unpacker);
  bool taken = false;
  if (asked == Question::score) {
    const auto seconds = unpacker.take<double>();
    helper.store->note_threads(unpacker.take<int>());
    taken = helper.store->finish(cell, unpack_score(unpacker), seconds);
  } else {
    taken = helper.store->finish(cell, unpack_training(unpacker), classification_);
  }
  helper.heartbeat.reset();
  return {words(taken ? Answer::taken : Answer::too_late)};
}

void work_for_desk(CellWork& work, const JudgingMemory& memory, ExperimentElsewhere& others,
                   const RunContext& context) {
  const Owner owner = this_process();
  const auto ask = [&](const Packer& question, std::string& reply) {
    reply = others.ask(question.bytes());
    Unpacker unpacker(reply);
    const auto answer = unpacker.take<Answer>();
    if (answer == Answer::failed) {
      const auto kind = unpacker.take<ErrorKind>();
      throw Error(kind, unpacker.take_text());
    }
    return answer;
  };
  for (;;) {
    Packer for_a_cell;
    for_a_cell.add(Question::cell);
    pack(for_a_cell, owner);
    for_a_cell.add(work.samples().checksum()).add(JudgingMemory::usable());
    std::string reply;
    const Answer answer = ask(for_a_cell, reply);
    if (answer == Answer::nothing_left) return;
    if (answer == Answer::wait) {
      work.free_memory();
      std::this_thread::sleep_for(wait_between_questions);
      continue;
    }
    Unpacker unpacker(reply);
    unpacker.take<Answer>();
    const Cell cell = unpack_cell(unpacker);
    const Stopwatch watch;
    const CellResult result = work.work(cell, parse_start_key(cell.start, work.shape()), context);
    if (memory.fills_the_machine(cell)) work.free_memory();  // before others may take it
    Packer done;
    done.add(std::holds_alternative<Score>(result) ? Question::score : Question::training);
    pack(done, cell);
    if (const Score* score = std::get_if<Score>(&result)) {
      done.add(watch.seconds()).add(context.threads);
      pack(done, *score);
    } else {
      pack(done, std::get<TrainingSummary>(result));
    }
    if (ask(done, reply) == Answer::taken) work.remove_checkpoint(cell);
  }
}

}  // namespace priorfit::internal
