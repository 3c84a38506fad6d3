// Runs an ONNX model for Python: {model, fed} is the input, {type, dims, data} the output. Bytes
// are in base 64, float16 by its bits.
const ort = require("onnxruntime-node");

const ARRAYS = { bool: Uint8Array, float16: Uint16Array, float32: Float32Array,
  float64: Float64Array, int32: Int32Array };

function tensor({ type, dims, data }) {
  if (!(type in ARRAYS)) throw new Error(`no ${type} in Node`);
  const bytes = new Uint8Array(Buffer.from(data, "base64")); // a copy: its offset is 0
  return new ort.Tensor(type, new ARRAYS[type](bytes.buffer), dims);
}

(async () => {
  const { model, fed } = JSON.parse(require("fs").readFileSync(0));
  const feeds = Object.fromEntries(Object.entries(fed).map(([name, x]) => [name, tensor(x)]));
  const options = { intraOpNumThreads: 1, logSeverityLevel: 4, executionProviders: ["cpu"] };
  const session = await ort.InferenceSession.create(Buffer.from(model, "base64"), options);
  const { type, dims, data } = (await session.run(feeds)).Y;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  console.log(JSON.stringify({ type, dims, data: bytes.toString("base64") }));
})().catch((error) => { console.error(error.message); process.exit(1); });
