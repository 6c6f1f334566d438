// R2 and the page's files on a bad day; see faults.mjs.

import { disturbed, struck } from "./fault_rules.mjs";

async function bytesOf(value) {
  return new Uint8Array(await new Response(value).arrayBuffer());
}

function flipped(bytes) {
  const copy = bytes.slice();
  if (copy.length) copy[copy.length >> 1] ^= 1;
  return copy;
}

/** Takes half of a body and no more. */
async function takeHalf(value) {
  if (!(value instanceof ReadableStream)) return;
  const reader = value.getReader();
  await reader.read();
  await reader.cancel(new Error("a fault of a test: the upload was cut"));
}

const writing = (value, write) => ({
  cut: async () => {
    await takeHalf(value);
    throw new Error("a fault of a test: the upload was cut");
  },
  flip: async () => write(flipped(await bytesOf(value))),
});

/** What a get returns, with other bytes in it: all of them with one changed, or half and then an error. */
function changedBody(stored, bytes, cut) {
  const stream = () => {
    const fixed = new FixedLengthStream(bytes.length);
    const writer = fixed.writable.getWriter();
    (async () => {
      try {
        await writer.write(cut ? bytes.subarray(0, bytes.length >> 1) : bytes);
        if (cut) await writer.abort(new Error("a fault of a test: the download was cut"));
        else await writer.close();
      } catch {
        // Whoever read it has gone.
      }
    })();
    return fixed.readable;
  };
  const body = stream();
  const whole = async () => await new Response(body).arrayBuffer();
  const own = {
    body,
    arrayBuffer: whole,
    bytes: async () => new Uint8Array(await whole()),
    text: async () => new TextDecoder().decode(await whole()),
    json: async () => JSON.parse(new TextDecoder().decode(await whole())),
  };
  return new Proxy(stored, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return own[name];
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function faultyUpload(upload) {
  const { key } = upload;
  return {
    key,
    uploadId: upload.uploadId,
    uploadPart: (number, value, ...more) => {
      const put = (bytes) => upload.uploadPart(number, bytes, ...more);
      return disturbed(struck("r2.put", { detail: key }), () => put(value), writing(value, put));
    },
    complete: (...args) => disturbed(struck("r2.complete", { detail: key }), () => upload.complete(...args)),
    abort: (...args) => upload.abort(...args),
  };
}

function faultyBucket(bucket) {
  const reading = (stored) => ({
    cut: async () => changed(await stored(), true),
    flip: async () => changed(await stored(), false),
  });
  const changed = async (stored, cut) => {
    if (!stored?.body) return stored;
    const bytes = new Uint8Array(await stored.arrayBuffer());
    return changedBody(stored, cut ? bytes : flipped(bytes), cut);
  };
  return {
    put: (key, value, ...more) => {
      const put = (bytes) => bucket.put(key, bytes, ...more);
      return disturbed(struck("r2.put", { detail: key }), () => put(value), writing(value, put));
    },
    get: (key, ...more) => {
      const get = () => bucket.get(key, ...more);
      return disturbed(struck("r2.get", { detail: key }), get, reading(get));
    },
    head: (key) => disturbed(struck("r2.head", { detail: key }), () => bucket.head(key)),
    delete: (keys) => disturbed(struck("r2.delete", { detail: String(keys) }), () => bucket.delete(keys)),
    list: (...args) => disturbed(struck("r2.list"), () => bucket.list(...args)),
    createMultipartUpload: async (key, ...more) =>
      faultyUpload(
        await disturbed(struck("r2.create", { detail: key }), () =>
          bucket.createMultipartUpload(key, ...more),
        ),
      ),
    resumeMultipartUpload: (...args) => faultyUpload(bucket.resumeMultipartUpload(...args)),
  };
}

function faultyService(service) {
  return {
    fetch: (address, ...more) =>
      disturbed(struck("service.fetch", { detail: String(address) }), () => service.fetch(address, ...more)),
  };
}

// By their class: a service seems to have every method that it is looked at for.
const FAULTY = { R2Bucket: faultyBucket, Fetcher: faultyService };

/** The bindings, with faults between the Worker and its buckets and services. */
export function faultyBindings(env) {
  const faulty = Object.entries(env).map(([name, value]) => {
    const wrap = FAULTY[value?.constructor?.name];
    return [name, wrap ? wrap(value) : value];
  });
  return Object.fromEntries(faulty);
}
