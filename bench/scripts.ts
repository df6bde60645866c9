/** Lua for wrk: what it is to ask. */
import { order } from './service.ts';

/** Makes checkouts. */
export const creates = (keyed: boolean): string => `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '${JSON.stringify(order)}'
${keyed ? freshKeys : ''}
${
  keyed
    ? `function request()
  wrk.headers["Idempotency-Key"] = key()
  return wrk.format()
end`
    : ''
}
`;

/** Adds one to a counter picked by chance, each time under a fresh key. */
export const counts = (counters: number): string => `
${freshKeys}
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"by":1}'
function request()
  wrk.headers["Idempotency-Key"] = key()
  return wrk.format(nil, "/counter/" .. math.random(${counters}) .. "/add")
end
`;

/** Reads one of the checkouts whose ids a file lists, picked by chance. */
export const readsOf = (idsFile: string): string => `
local ids = {}
for id in io.lines("${idsFile}") do ids[#ids + 1] = id end
function init(args)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
end
function request()
  return wrk.format("GET", "/v1/checkout/" .. ids[math.random(#ids)])
end
`;

/** Looks up one of the references that a file lists, picked by chance. */
export const findsOf = (file: string): string => `
local references = {}
for reference in io.lines("${file}") do references[#references + 1] = reference end
function init(args)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
end
function request()
  return wrk.format("GET", "/v1/public/payment-status?query=" .. references[math.random(#references)])
end
`;

/** `key()` is new for each run of wrk, each thread and each request. */
const freshKeys = `local made = 0
local prefix = ""
function init(args)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
  prefix = string.format("%08x%08x", math.random(0, 2147483647), os.time())
end
function key()
  made = made + 1
  return prefix .. "-" .. made
end`;
