#include "run.hpp"

#include <nanobind/stl/string.h>

#include <omp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace priorfit::python {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(50);
constexpr auto patience = std::chrono::milliseconds(500);  // with work that was told to stop

struct Job {
  std::function<void(const RunContext&)> work;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool abandoned = false;
  std::optional<Progress> news;
  std::exception_ptr error;
  std::atomic<bool> stop{false};
};

std::mutex abandoned_mutex;
std::condition_variable abandoned_changed;
int abandoned_jobs = 0;

std::atomic<bool> throttle_waiting{false};

/// While it lives, libgomp counts more threads than there are cores, and lets idle ones spin for microseconds instead
/// of milliseconds before they sleep: what GOMP_SPINCOUNT does where it can still be set.
class IdleTeam {
 public:
  IdleTeam() {
    if (!throttle_waiting) return;
    std::promise<void> made;
    std::future<void> is_made = made.get_future();
    holder_ = std::thread([this, made = std::move(made)]() mutable {
    // Its threads sleep until the holder, to whom they belong, ends.
#pragma omp parallel num_threads(omp_get_num_procs() + 2)
      { std::atomic_signal_fence(std::memory_order_seq_cst); }
      made.set_value();
      released_.get_future().wait();
    });
    is_made.wait();
  }
  ~IdleTeam() {
    if (!holder_.joinable()) return;
    released_.set_value();
    holder_.join();
  }
  IdleTeam(const IdleTeam&) = delete;
  IdleTeam& operator=(const IdleTeam&) = delete;

 private:
  std::promise<void> released_;
  std::thread holder_;
};

void perform(const std::shared_ptr<Job>& job, int team, int threads) {
  std::optional<IdleTeam> idle;
  if (team > 1) idle.emplace();
  omp_set_num_threads(team);  // a new thread begins with the process's number, not the caller's
  const RunContext context{.threads = threads, .progress = [&](const Progress& now) {
                             const std::lock_guard lock(job->mutex);
                             job->news = now;
                             return !job->stop;
                           }};
  std::exception_ptr error;
  try {
    job->work(context);
  } catch (...) {
    error = std::current_exception();
  }
  idle.reset();
  std::unique_lock lock(job->mutex);
  job->error = error;
  job->done = true;
  job->changed.notify_all();
  if (!job->abandoned) return;
  lock.unlock();
  {
    const nb::gil_scoped_acquire python;
    job->work = nullptr;
  }
  const std::lock_guard count(abandoned_mutex);
  --abandoned_jobs;
  abandoned_changed.notify_all();
}

/// Whether the work ended. Without the interpreter's lock.
bool wait_until_done(Job& job, std::chrono::milliseconds time) {
  const nb::gil_scoped_release others;
  std::unique_lock lock(job.mutex);
  return job.changed.wait_for(lock, time, [&] { return job.done; });
}

void show(Job& job, const nb::object& progress) {
  if (progress.is_none()) return;
  std::optional<Progress> now;
  {
    const std::lock_guard lock(job.mutex);
    now.swap(job.news);
  }
  if (now) progress(now->stage, now->fraction ? nb::cast(*now->fraction) : nb::none());
}

/// Ends the work, or leaves it.
void end(const std::shared_ptr<Job>& job, std::thread& worker) {
  job->stop = true;
  if (!wait_until_done(*job, patience)) {
    const std::lock_guard lock(job->mutex);
    if (!job->done) {
      const std::lock_guard count(abandoned_mutex);
      ++abandoned_jobs;
      job->abandoned = true;
      worker.detach();
      return;
    }
  }
  const nb::gil_scoped_release others;
  worker.join();
}

}  // namespace

void run_beside(const Call& call, std::function<void(const RunContext&)> work) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  const int team = call.threads > 0 ? call.threads : omp_get_max_threads();
  std::thread worker([job, team, threads = call.threads] { perform(job, team, threads); });
  try {
    while (!wait_until_done(*job, poll_interval)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      show(*job, call.progress);
    }
    const nb::gil_scoped_release others;
    worker.join();
  } catch (...) {
    end(job, worker);
    if (!job->abandoned) job->work = nullptr;
    throw;
  }
  job->work = nullptr;
  if (job->error) std::rethrow_exception(job->error);
}

void wait_briefly() { throttle_waiting = true; }

void wait_for_abandoned() {
  const nb::gil_scoped_release others;
  std::unique_lock lock(abandoned_mutex);
  abandoned_changed.wait(lock, [] { return abandoned_jobs == 0; });
}

}  // namespace priorfit::python
