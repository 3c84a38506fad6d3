// Runs ONNX models for Python: each line of the input is {model, fed}, each line of the output
// {type, dims, data} or {error}. Bytes are in base 64, float16 by its bits.
const ort = require("onnxruntime-node");

const ARRAYS = {
  bool: Uint8Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
};

function tensor({ type, dims, data }) {
  if (!(type in ARRAYS)) throw new Error(`no ${type} in Node`);
  const bytes = new Uint8Array(Buffer.from(data, "base64")); // a copy: its offset is 0
  return new ort.Tensor(type, new ARRAYS[type](bytes.buffer), dims);
}

async function answer({ model, fed }) {
  const feeds = Object.fromEntries(Object.entries(fed).map(([name, x]) => [name, tensor(x)]));
  const options = { intraOpNumThreads: 1, logSeverityLevel: 4, executionProviders: ["cpu"] };
  const session = await ort.InferenceSession.create(Buffer.from(model, "base64"), options);
  const { type, dims, data } = (await session.run(feeds)).Y;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { type, dims, data: bytes.toString("base64") };
}

(async () => {
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const said = await answer(JSON.parse(line)).catch((error) => ({ error: error.message }));
    console.log(JSON.stringify(said));
  }
})();
