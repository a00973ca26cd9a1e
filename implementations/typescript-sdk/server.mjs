// One tool for each behaviour of docs/behaviours.md, written as the SDK's examples simpleStreamableHttp and
// simpleTaskInteractive teach: registerToolTask, InMemoryTaskStore, InMemoryTaskMessageQueue; requests and notifications of a
// task are sent with `relatedTask`. Usage: node server.mjs stdio | node server.mjs http PORT
import { randomUUID } from 'node:crypto';
import express from 'express';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { isTerminal } from '@modelcontextprotocol/sdk/experimental/tasks/interfaces.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';

const POLL_INTERVAL_MS = 100;
const BRIEF_MS = 50;
const LONG_MS = 1000;
const FLOOD = 500;

const taskStore = new InMemoryTaskStore();
let counter = 0;

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const says = text => ({ content: [{ type: 'text', text }] });

// What a tool may do while its task lasts.
class Job {
    constructor(server, extra, taskId) {
        this.server = server.server;
        this.extra = extra;
        this.taskId = taskId;
    }

    async ended() {
        const task = await taskStore.getTask(this.taskId);
        return task === null || isTerminal(task.status);
    }

    notify(notification) {
        return this.server.notification(notification, { relatedTask: { taskId: this.taskId } });
    }

    // The SDK leaves the status to the tool: it needs input while the user is asked, and works again afterwards.
    async ask(method, ...questions) {
        await this.extra.taskStore.updateTaskStatus(this.taskId, 'input_required');
        const options = { relatedTask: { taskId: this.taskId } };
        const answers = await Promise.all(questions.map(params => this.server[method](params, options)));
        await this.extra.taskStore.updateTaskStatus(this.taskId, 'working');
        return answers;
    }

    elicit(...messages) {
        const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
        return this.ask('elicitInput', ...messages.map(message => ({ mode: 'form', message, requestedSchema })));
    }
}

const toolTasks = {
    completes: async () => {
        await sleep(BRIEF_MS);
        return says('done');
    },
    structured: async () => {
        await sleep(BRIEF_MS);
        return { ...says('{"answer":42}'), structuredContent: { answer: 42 } };
    },
    slow: async () => {
        await sleep(LONG_MS);
        return says('done at last');
    },
    'fails-tool-error': async () => {
        await sleep(BRIEF_MS);
        return { ...says('this tool fails'), isError: true };
    },
    'asks-elicitation': async job => {
        const [{ action }] = await job.elicit('What is the answer?');
        return says(`the user's action: ${action}`);
    },
    'asks-sampling': async job => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say something.' } }];
        await job.ask('createMessage', { messages, maxTokens: 20 });
        return says('sampled');
    },
    'asks-twice': async job => {
        await job.elicit('What comes first?');
        await sleep(BRIEF_MS);
        await job.elicit('What comes second?');
        return says('asked twice');
    },
    'asks-many': async job => {
        await job.elicit('Question 1', 'Question 2', 'Question 3');
        return says('asked three times');
    },
    'reports-progress': async job => {
        const progressToken = job.extra._meta?.progressToken;
        for (let progress = 1; progress <= 4; progress++) {
            if (progressToken !== undefined && !(await job.ended())) {
                await job.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 4 } });
            }
            // Longer than a tasks/result takes to look into the queue again.
            await sleep(POLL_INTERVAL_MS * 2);
        }
        return says('progressed');
    },
    logs: async job => {
        for (let line = 1; line <= 3; line++) {
            await sleep(BRIEF_MS * 2);
            await job.notify({ method: 'notifications/message', params: { level: 'info', data: `line ${line}` } });
        }
        return says('logged');
    },
    floods: async job => {
        await job.elicit(...Array.from({ length: FLOOD }, (_, index) => `Question ${index}`));
        return says('flooded');
    },
    'ignores-cancel': async () => {
        await sleep(LONG_MS);
        return says('came to its end');
    },
    counts: async (job, { read }) => {
        for (const end = Date.now() + LONG_MS; !read && Date.now() < end && !(await job.ended()); await sleep(5)) {
            counter += 1;
        }
        return says(String(counter));
    },
    'task-only': async () => {
        await sleep(BRIEF_MS);
        return says('done as a task');
    },
    either: async () => {
        await sleep(BRIEF_MS);
        return says('done either way');
    }
};

const further = {
    structured: { outputSchema: { answer: z.number() } },
    counts: { inputSchema: { read: z.boolean().optional() } },
    'task-only': { execution: { taskSupport: 'required' } }
};

function createServer() {
    const server = new McpServer(
        { name: 'typescript-sdk-fixture', version: '1.0.0' },
        {
            capabilities: { logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
            taskStore,
            taskMessageQueue: new InMemoryTaskMessageQueue(),
            maxTaskQueueSize: 100
        }
    );
    server.registerTool('plain-only', { description: 'An ordinary tool.', inputSchema: {} }, async () => says('done plainly'));
    for (const [name, work] of Object.entries(toolTasks)) {
        const config = { description: `Shows the behaviour ${name}.`, inputSchema: {}, execution: { taskSupport: 'optional' }, ...further[name] };
        server.experimental.tasks.registerToolTask(name, config, {
            async createTask(args, extra) {
                const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl, pollInterval: POLL_INTERVAL_MS });
                const job = new Job(server, extra, task.taskId);
                (async () => {
                    try {
                        const result = await work(job, args);
                        await extra.taskStore.storeTaskResult(task.taskId, result.isError ? 'failed' : 'completed', result);
                    } catch (error) {
                        if (!(await job.ended())) {
                            await extra.taskStore.storeTaskResult(task.taskId, 'failed', { ...says(error.message), isError: true });
                        }
                    }
                })().catch(error => console.error(error));
                return { task };
            },
            async getTask(_args, { taskId, taskStore }) {
                return await taskStore.getTask(taskId);
            },
            async getTaskResult(_args, { taskId, taskStore }) {
                return await taskStore.getTaskResult(taskId);
            }
        });
    }
    return server;
}

async function serveHttp(port) {
    const transports = new Map();
    const refuse = (res, status, code, message) => res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null });
    const app = express();
    app.use(express.json());
    app.all('/mcp', async (req, res) => {
        const sessionId = req.headers['mcp-session-id'];
        if (transports.has(sessionId)) {
            await transports.get(sessionId).handleRequest(req, res, req.body);
        } else if (sessionId) {
            refuse(res, 404, -32001, 'Session not found');
        } else if (req.method !== 'POST' || !isInitializeRequest(req.body)) {
            refuse(res, 400, -32000, 'Bad Request: No valid session ID provided');
        } else {
            const transport = new StreamableHTTPServerTransport({
                sessionIdGenerator: () => randomUUID(),
                onsessioninitialized: id => transports.set(id, transport)
            });
            transport.onclose = () => transports.delete(transport.sessionId);
            await createServer().connect(transport);
            await transport.handleRequest(req, res, req.body);
        }
    });
    app.listen(port, '127.0.0.1');
}

if (process.argv[2] === 'http') {
    await serveHttp(Number(process.argv[3]));
} else {
    await createServer().connect(new StdioServerTransport());
}
