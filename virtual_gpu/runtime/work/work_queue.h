// Work in streams: what has been submitted and is not done yet, and which thread does it.
//
// A task waits for those before it in its queue and for the tasks it names.
//  - Copies, fills and event records that wait for nothing are done at once by the thread that submits them. No
//    program can observe the difference, and no thread switch is needed.
//  - A thread that synchronises does the work it waits for itself. A launch followed by a synchronisation, the
//    most frequent pair, then costs about as much as a function call.
//  - Work that no thread has taken after a short time (kHelperDelay) goes to a helper thread: kernels of
//    different streams overlap, and a kernel that waits for a flag that the host sets later makes progress.
//    There is always one idle helper while work is waiting, so any number of tasks that wait for each other run
//    at the same time.
//  - Host functions are always done by a helper, as CUDA does it.
// Where the host is kept apart (graded code, whose host may not compute in device memory), helpers take up work
// only while a thread of the program waits in a call. That call ends when nothing runs any more, a query waits,
// and a host function runs alone: host code never runs beside work of the device.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace ridge::runtime {

struct Task;
using TaskRef = std::shared_ptr<Task>;

enum class TaskExecutor : uint8_t {
  anybody,    // kernels, graphs
  submitter,  // short and sure to end: done at once when nothing holds it up
  helper,     // host functions
};

struct WorkQueue {
  int device = 0;
  int priority = 0;         // the lower, the sooner
  bool is_legacy = false;   // waits for every blocking queue of its device, and they for it
  bool is_blocking = true;  // not cudaStreamNonBlocking
  std::deque<TaskRef> tasks;
  bool taken = false;  // a thread does the first task
};

struct Task {
  std::function<void()> work;
  std::vector<TaskRef> after;
  std::shared_ptr<WorkQueue> queue;
  TaskExecutor task_executor = TaskExecutor::anybody;
  std::chrono::steady_clock::time_point submitted;
  std::atomic<bool> done{false};
};

class WorkQueues {
 public:
  WorkQueues();
  // Before the first task.
  void keep_host_apart() { host_apart_ = true; }

  // Returns at once, except when the queue is very long. An empty `work` only waits and orders.
  TaskRef add(const std::shared_ptr<WorkQueue>& queue, std::function<void()> work, TaskExecutor task_executor,
              std::vector<TaskRef> after = {});
  // Until the task is done, doing what it waits for.
  void wait(const TaskRef& task);
  // All that has been submitted to the queue; of a legacy queue, also what it waits for.
  void wait(const std::shared_ptr<WorkQueue>& queue);
  void wait_for_device(int device);
  bool is_idle(const std::shared_ptr<WorkQueue>& queue);
  bool is_device_idle(int device);
  // A query of `task`: waits for it where the host is kept apart, because nothing runs meanwhile.
  void poll(const TaskRef& task) {
    if (host_apart_) wait(task);
  }

  // At the end of the process: false when work is left after `limit`.
  bool drain(std::chrono::milliseconds limit);

  // Threads that wait now, those that do the work they wait for included.
  int waiting_threads() const { return waiting_threads_; }
  // Counts up whenever a task begins or ends: another thread may have changed what others wait for.
  uint64_t events() const { return events_; }
  // How often a thread has waited for work, until now.
  uint64_t waits() const { return waits_; }
  uint64_t tasks_running() const { return running_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  std::vector<TaskRef> blockers_of(const WorkQueue& queue, std::vector<TaskRef> after) const;
  bool is_ready(const Task& task) const;
  bool may_begin(const Task& task) const;
  void run_first(const std::shared_ptr<WorkQueue>& queue, Lock& lock);
  void wait_locked(const TaskRef& task, Lock& lock);
  std::shared_ptr<WorkQueue> runnable_towards(const TaskRef& task) const;
  std::shared_ptr<WorkQueue> next_for_helper(std::chrono::steady_clock::time_point now,
                                             std::chrono::steady_clock::time_point& soonest) const;
  void call_helper(bool now);
  void start_helper();
  void help();

  std::mutex mutex_;
  std::condition_variable task_done_, watch_, reserve_;
  std::vector<std::shared_ptr<WorkQueue>> busy_;  // with tasks that are not done
  bool has_watcher_ = false, monitor_sleeps_ = false;
  bool host_apart_ = false, host_function_runs_ = false;
  int reserves_ = 0, helpers_starting_ = 0;
  std::atomic<int> waiting_threads_{0};
  std::atomic<uint64_t> events_{0}, running_{0}, waits_{0};
};

// Whether the calling thread is doing a host function: CUDA calls are not permitted there.
bool in_host_function();
// Does `function` as a host function.
void run_host_function(const std::function<void()>& function);

}  // namespace ridge::runtime
