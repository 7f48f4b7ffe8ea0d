#!/usr/bin/env bash
# Runs a command beside a Slurm cluster of its own on this host: munge, slurmctld and two slurmd.
#   with_slurm.sh COMMAND...
# The nodes are `one`, with two GPUs of type h200 (device files that do nothing), and `two`; the
# partitions are `gpu` and `plain`. SLURM_CONF names the configuration, RIDGE_TEST_SLURM the folder
# with the daemons' process numbers (NAME.pid) and the script `start NAME`. All ends with the command.
set -euo pipefail
for program in munged:munge slurmctld:slurm-wlm slurmd:slurm-wlm sbatch:slurm-client; do
  command -v "${program%%:*}" >/dev/null || PATH=$PATH:/usr/sbin
  command -v "${program%%:*}" >/dev/null || { echo "skipped: ${program%%:*} is not installed (package ${program##*:})"; exit 0; }
done
((EUID == 0)) || { echo "skipped: slurmd starts jobs as other users, which only root can"; exit 0; }
folder=$(mktemp -d /tmp/ridge-slurm-XXXXXX)
chmod 755 "$folder"
ended() {
  local name
  for name in one two slurmctld munged; do
    [[ -f $folder/$name.pid ]] && kill -9 "$(<"$folder/$name.pid")" 2>/dev/null
  done
  sleep 0.2
  rm -rf -- "$folder"
} 2>/dev/null
trap 'ended || true' EXIT
trap 'exit 130' INT TERM

mkdir -m 700 "$folder/key" "$folder/state"
mkdir -m 755 "$folder/munge"
head -c 128 /dev/urandom >"$folder/key/munge.key"
chmod 600 "$folder/key/munge.key"
for gpu in 0 1; do mknod -m 666 "$folder/gpu$gpu" c 1 3; done
host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$folder/slurm.conf" <<END
ClusterName=ridge
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.own-pid
SlurmdPidFile=$folder/%n.own-pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=20
SlurmctldTimeout=10
MessageTimeout=5
KillWait=2
MinJobAge=30
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 RealMemory=4000 Gres=gpu:h200:2
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8 RealMemory=4000
PartitionName=plain Nodes=two Default=YES MaxTime=60 State=UP
PartitionName=gpu Nodes=one MaxTime=60 State=UP
END
echo "NodeName=one Name=gpu Type=h200 File=$folder/gpu[0-1]" >"$folder/gres.conf"
echo "CgroupPlugin=cgroup/v1" >"$folder/cgroup.conf"
cat >"$folder/start" <<END
#!/usr/bin/env bash
# Starts one of the daemons: munged, slurmctld, one, two.
export SLURM_CONF=$folder/slurm.conf PATH=\$PATH:/usr/sbin
case \$1 in
  munged) command=(munged --foreground --force --key-file=$folder/key/munge.key --socket=$folder/munge/socket
            --pid-file=$folder/munge/own-pid --log-file=$folder/munge/log --seed-file=$folder/key/seed) ;;
  slurmctld) command=(slurmctld -D) ;;
  *) command=(slurmd -D -N \$1) ;;
esac
setsid "\${command[@]}" </dev/null >>$folder/\$1.printed 2>&1 &
echo \$! >$folder/\$1.pid
END
chmod 755 "$folder/start"
export SLURM_CONF=$folder/slurm.conf RIDGE_TEST_SLURM=$folder
"$folder/start" munged
for _ in {1..50}; do [[ -S $folder/munge/socket ]] && break; sleep 0.1; done
"$folder/start" slurmctld
sleep 0.5
"$folder/start" one
"$folder/start" two
for _ in {1..150}; do
  [[ $(sinfo --noheader --states=idle --Node --format=%N 2>/dev/null | sort -u | wc -l) == 2 ]] && break
  sleep 0.1
done
if [[ $(sinfo --noheader --states=idle --Node --format=%N 2>/dev/null | sort -u | wc -l) != 2 ]]; then
  tail -n 5 "$folder"/*.log "$folder"/*.printed
  echo "the cluster did not start"
  exit 1
fi
"$@" &
command=$!
trap 'kill "$command" 2>/dev/null; wait "$command"; exit 130' INT TERM
wait "$command"
