// Queues of submitted work, and the threads that execute it.
//
// A task waits for the earlier tasks of its queue and for the tasks that it names. Who executes it:
//  - Copies, fills and event records without a pending dependency are executed immediately by the
//    submitting thread: no program can observe the difference, and it saves a thread switch.
//  - A thread that synchronises executes the tasks that it waits for. A launch followed by a
//    synchronisation, the most frequent pair, then costs about as much as a function call.
//  - A helper thread takes tasks that have waited for a short time (helper_delay_): kernels of
//    different streams overlap, and a kernel that waits for a flag from the host makes progress.
//    While tasks are waiting there is always an idle helper, so any number of tasks that wait for
//    each other can run at the same time.
//  - A helper always executes host functions, as CUDA requires.
// With host and device kept apart (for graded code, whose host must not compute in device memory),
// helpers take tasks only while a thread of the program waits in a call. That call returns when no
// task is running, a query waits, and a host function runs alone: host code never runs concurrently
// with work of the device.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "virtual_gpu/observe/races/devices/task_clock.h"

namespace ridge::runtime {

struct Task;
using TaskRef = std::shared_ptr<Task>;

enum class TaskExecutor : uint8_t {
  anybody,    // kernels, graphs
  submitter,  // short and sure to end: executed immediately unless it must wait
  helper,     // host functions
};

struct WorkQueue {
  WorkQueue();
  const uint32_t id;  // of this queue in a TaskClock
  uint64_t submitted = 0;
  observe::TaskClock order;  // its newest task and what precedes that
  int device = 0;
  int priority = 0;         // lower numbers have higher priority
  bool is_legacy = false;   // waits for every blocking queue of its device, and vice versa
  bool is_blocking = true;  // not cudaStreamNonBlocking
  std::deque<TaskRef> tasks;
  bool taken = false;  // a thread is executing the first task
};

struct Task {
  std::function<void()> work;
  std::vector<TaskRef> after;
  std::shared_ptr<WorkQueue> queue;
  TaskExecutor task_executor = TaskExecutor::anybody;
  std::chrono::steady_clock::time_point submitted;
  // The tasks that precede it by streams, events and the host, and itself; empty unless the order is
  // followed.
  observe::TaskClock order;
  uint64_t number = 0;  // in its queue, from 1
  std::atomic<bool> done{false};
};

// The task that this thread executes, or nullptr.
const Task* running_task();

class WorkQueues {
 public:
  WorkQueues();
  // Must be called before the first task.
  void keep_host_apart() { host_apart_ = true; }
  // Must be called before the first task: each task gets its place in the order of tasks.
  void follow_order() { follows_order_ = true; }
  bool follows_order() const { return follows_order_; }
  // Lets helpers take tasks much later than usual. The check of dependent launches needs it: what a kernel touches
  // is recorded only if the launch behind it is known when the kernel executes.
  void delay_helpers() { helper_delay_ = std::chrono::milliseconds(100); }

  // Returns immediately, except when the queue is very long. An empty `work` only orders other
  // tasks.
  TaskRef add(const std::shared_ptr<WorkQueue>& queue, std::function<void()> work, TaskExecutor task_executor,
              std::vector<TaskRef> after = {});
  // Waits until the task is done and executes tasks that it depends on.
  void wait(const TaskRef& task);
  // Waits for all tasks in the queue; for a legacy queue, also for its dependencies.
  void wait(const std::shared_ptr<WorkQueue>& queue);
  void wait_for_device(int device);
  // `for_host`: the question is the program's (cudaStreamQuery); a true answer orders the queue's work
  // before what the host does next.
  bool is_idle(const std::shared_ptr<WorkQueue>& queue, bool for_host = false);
  bool is_device_idle(int device);
  // Called by a query of `task`: waits for it if host and device are kept apart, because nothing
  // runs while the host does.
  void poll(const TaskRef& task) {
    if (host_apart_ || (follows_order_ && task && task->done)) wait(task);
  }

  // At the end of the process: returns false when tasks are left after `limit`.
  bool drain(std::chrono::milliseconds limit);

  // Number of waiting threads, including those that execute tasks while they wait.
  int waiting_threads() const { return waiting_threads_; }
  // Incremented whenever a task begins or ends, which may release waiting threads.
  uint64_t events() const { return events_; }
  // The number of times that a thread has waited for work so far.
  uint64_t waits() const { return waits_; }
  uint64_t tasks_running() const { return running_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  // What follows a task in the order of a device: for its default stream and for all others.
  struct DeviceOrder {
    observe::TaskClock all, of_blocking, of_legacy;
  };
  void place_in_order(Task& task, WorkQueue& queue, const std::vector<TaskRef>& after);
  void host_knows(const observe::TaskClock& order) {
    if (follows_order_) host_order_.join(order);
  }
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
  std::vector<std::shared_ptr<WorkQueue>> busy_;  // queues with unfinished tasks
  bool has_watcher_ = false, monitor_sleeps_ = false;
  // After this time a helper takes work that no synchronising thread has taken. Long enough for the program to
  // reach its next synchronisation, short against a launch.
  std::atomic<std::chrono::microseconds> helper_delay_{std::chrono::microseconds(100)};
  bool host_apart_ = false, host_function_runs_ = false, follows_order_ = false;
  observe::TaskClock host_order_;  // the tasks that the host has waited for
  std::map<int, DeviceOrder> device_order_;
  int reserves_ = 0, helpers_starting_ = 0;
  std::atomic<int> waiting_threads_{0};
  std::atomic<uint64_t> events_{0}, running_{0}, waits_{0};
};

// True in a host function, where CUDA calls are not permitted.
bool in_host_function();
// Executes `function` as a host function.
void run_host_function(const std::function<void()>& function);

}  // namespace ridge::runtime
