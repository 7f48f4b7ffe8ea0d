-- A store of version 2, written by ridge at commit 4b61395: `sqlite3 .ridge/ridge.db .dump`, and the version.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    rung TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    engine TEXT NOT NULL,
    device TEXT NOT NULL,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    source_sha256 TEXT NOT NULL,
    percent REAL,
    figures TEXT NOT NULL,
    seconds REAL NOT NULL,
    seed TEXT NOT NULL
  , conditions TEXT NOT NULL DEFAULT '{}');
INSERT INTO runs VALUES(1,'01-kernel-basics/1-vector-add',1795276459960,'OUT OF BOUNDS','virtual','virtual','student',replace('#include <cuda_runtime.h>\n__global__ void add(const float* a, const float* b, float* c, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (true) c[i] = a[i] + b[i];\n}\nextern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n}\n','\n',char(10)),'bbb0946b485b73e72ebfdd1a4059fbd715489b4bbc22a8c4233bbd314a34a65e',NULL,'{"size":"","summary":"A thread reads or writes outside an array in 1-vector-add.cu line 4, for n = 1.","next":"Compare the index with the size of the array before you use it; the last block has threads to spare.","detail":"Out of bounds: thread (1,0,0) of block (0,0,0) reads 4 bytes at index 1 of an array that holds 1 element of 4 bytes: the first byte past its end (cudaMalloc, allocation #1 of 4 bytes at 0x7e712f400100).\n  at /tmp/v2/labs/01-kernel-basics/1-vector-add.cu:4 in add(float const*, float const*, float*, int), executing `ld.global.f32 %f1, [%rd8]`\n  try: guard the access with the size, e.g. `if (i < n)`: the last block usually has more threads than there are elements left.\n","cases":23,"registers":12,"spill_bytes":0,"shared_bytes":0,"sandbox":"bubblewrap: no network; of the files only the system''s and its own to see, and only its scratch folder to write; no other process in sight; the user nobody; system calls filtered; at most 8.6 GB of memory and 2 GB of files","measured":null,"gates":[],"counts":[]}',2.5188187320000001712,'e8312c2a1577872e','{"ridge":"0.1.0","toolkit":"13.0","flags":["-gencode","arch=compute_90a,code=[sm_90a,compute_90a]","-cudart","shared","--compress-mode=none","-lineinfo","-std=c++20","-O3","-Xptxas","-v","-shared","-Xcompiler","-fPIC","-Xlinker","-z,defs"],"headers_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","device_asked":"","hidden_sizes":[[756],[5821],[4607]]}');
INSERT INTO runs VALUES(2,'01-kernel-basics/1-vector-add',1795276462839,'PASS','virtual','H200 (virtual)','student',replace('#include <cuda_runtime.h>\n__global__ void add(const float* a, const float* b, float* c, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\nextern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n}\n','\n',char(10)),'fb943272d4eb5235704a3f03b1810b1a75d9d89144fcf0509df30e4316f12185',NULL,'{"size":"n = 65536","summary":"The answers are right for 24 sizes.","next":"That was the last rung there is: well climbed.","detail":"It passes at try 2.\n","cases":24,"registers":12,"spill_bytes":0,"shared_bytes":0,"sandbox":"bubblewrap: no network; of the files only the system''s and its own to see, and only its scratch folder to write; no other process in sight; the user nobody; system calls filtered; at most 8.6 GB of memory and 2 GB of files","measured":null,"gates":[],"traffic":{"operations":65536.0,"useful_bytes":786432.0,"l1_bytes":786432.0,"l2_bytes":786432.0,"dram_bytes":524288.0,"peak_teraflops":66.9},"counts":[{"line":4,"what":"global load","requests":4096,"sectors":16384,"ideal_sectors":16384,"wavefronts":0,"ideal_wavefronts":0},{"line":4,"what":"global store","requests":2048,"sectors":8192,"ideal_sectors":8192,"wavefronts":0,"ideal_wavefronts":0}]}',2.8245886950000000936,'68aa27a3c682c776','{"ridge":"0.1.0","toolkit":"13.0","flags":["-gencode","arch=compute_90a,code=[sm_90a,compute_90a]","-cudart","shared","--compress-mode=none","-lineinfo","-std=c++20","-O3","-Xptxas","-v","-shared","-Xcompiler","-fPIC","-Xlinker","-z,defs"],"headers_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","device_asked":"","hidden_sizes":[[5239],[4955],[674]]}');
CREATE TABLE hints (rung TEXT NOT NULL, number INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (rung, number));
INSERT INTO hints VALUES('01-kernel-basics/1-vector-add',1,1795276462886);
CREATE TABLE skeletons (rung TEXT PRIMARY KEY, source TEXT NOT NULL);
INSERT INTO skeletons VALUES('01-kernel-basics/1-vector-add',replace('#include <cuda_runtime.h>\n__global__ void add(const float* a, const float* b, float* c, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (true) c[i] = a[i] + b[i];\n}\nextern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n}\n','\n',char(10)));
CREATE INDEX runs_by_rung ON runs (rung, id);
CREATE INDEX runs_by_outcome ON runs (origin, id, rung, verdict, engine, device, percent);
COMMIT;
PRAGMA user_version = 2;
