// mem0's own client for JavaScript, unchanged: what it is told, what it then finds. Prints JSON.
import { pathToFileURL } from "node:url";

const [modules, host, apiKey] = process.argv.slice(2);
const { MemoryClient } = await import(pathToFileURL(`${modules}/mem0ai/dist/index.mjs`));
const client = new MemoryClient({ apiKey, host });
await client.ping();

const told = {};
told.added = await client.add([{ role: "user", content: "I drink green tea" }], { userId: "alice" });
const filters = { user_id: "alice" };
told.found = await client.search("green tea", { filters, threshold: 0.1 });
told.listed = await client.getAll({ filters, page: 1, pageSize: 10 });
told.got = await client.get("alice.mem_1");
told.updated = await client.update("alice.mem_1", { text: "I drink black tea" });
told.history = await client.history("alice.mem_1");
const [left] = (await client.getAll({ filters })).results;
told.deleted = await client.delete(left.id);
told.left = await client.getAll({ filters });
told.users = await client.users();
await client.add([{ role: "user", content: "Rex is a dog" }], { userId: "bob" });
told.all = await client.deleteAll({ userId: "bob" });
try {
  await client.get("alice.mem_77");
} catch (error) {
  told.missing = error.name;
}
console.log(JSON.stringify(told));
process.exit(0);
