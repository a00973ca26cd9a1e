// One tool for each behaviour of docs/behaviours.md, written as the framework's README teaches: classes that extend MCPTool,
// and what MCPTool offers them (elicit, samplingRequest, reportProgress, log, abortSignal).
// Usage: node server.mjs stdio | node server.mjs http PORT
import { MCPServer, MCPTool } from 'mcp-framework';
import { z } from 'zod';

const BRIEF_MS = 50;
const LONG_MS = 1000;
const FLOOD = 500;

let counter = 0;

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const form = { answer: { type: 'string', description: 'The answer.' } };

class Tool extends MCPTool {
    schema = z.object({});
    execution = { taskSupport: 'optional' };

    get description() {
        return `Shows the behaviour ${this.name}.`;
    }
}

class Completes extends Tool {
    name = 'completes';

    async execute() {
        await sleep(BRIEF_MS);
        return 'done';
    }
}

class Structured extends Tool {
    name = 'structured';
    outputSchemaShape = z.object({ answer: z.number().describe('The answer.') });

    async execute() {
        await sleep(BRIEF_MS);
        return { answer: 42 };
    }
}

class Slow extends Tool {
    name = 'slow';

    async execute() {
        await sleep(LONG_MS);
        return 'done at last';
    }
}

class FailsToolError extends Tool {
    name = 'fails-tool-error';

    async execute() {
        await sleep(BRIEF_MS);
        throw new Error('this tool fails');
    }
}

class AsksElicitation extends Tool {
    name = 'asks-elicitation';

    async execute() {
        const { action } = await this.elicit('What is the answer?', form);
        return `the user's action: ${action}`;
    }
}

class AsksSampling extends Tool {
    name = 'asks-sampling';

    async execute() {
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say something.' } }];
        await this.samplingRequest({ messages, maxTokens: 20 });
        return 'sampled';
    }
}

class AsksTwice extends Tool {
    name = 'asks-twice';

    async execute() {
        await this.elicit('What comes first?', form);
        await sleep(BRIEF_MS);
        await this.elicit('What comes second?', form);
        return 'asked twice';
    }
}

class AsksMany extends Tool {
    name = 'asks-many';

    async execute() {
        await Promise.all(['Question 1', 'Question 2', 'Question 3'].map(question => this.elicit(question, form)));
        return 'asked three times';
    }
}

class ReportsProgress extends Tool {
    name = 'reports-progress';

    async execute() {
        for (let step = 1; step <= 5 && !this.abortSignal?.aborted; step++) {
            await sleep(BRIEF_MS * 2);
            await this.reportProgress(step, 5);
        }
        return 'progressed';
    }
}

class Logs extends Tool {
    name = 'logs';

    async execute() {
        for (let line = 1; line <= 3; line++) {
            await sleep(BRIEF_MS * 2);
            await this.log('info', `line ${line}`);
        }
        return 'logged';
    }
}

class Floods extends Tool {
    name = 'floods';

    async execute() {
        await Promise.all(Array.from({ length: FLOOD }, (_, index) => this.elicit(`Question ${index}`, form)));
        return 'flooded';
    }
}

class IgnoresCancel extends Tool {
    name = 'ignores-cancel';

    async execute() {
        await sleep(LONG_MS);
        return 'came to its end';
    }
}

class Counts extends Tool {
    name = 'counts';
    schema = z.object({ read: z.boolean().optional().describe('Whether to read the counter only.') });

    async execute({ read }) {
        for (const end = Date.now() + LONG_MS; !read && Date.now() < end && !this.abortSignal?.aborted; await sleep(5)) {
            counter += 1;
        }
        return counter;
    }
}

class PlainOnly extends Tool {
    name = 'plain-only';
    execution = undefined;

    async execute() {
        return 'done plainly';
    }
}

class TaskOnly extends Tool {
    name = 'task-only';
    execution = { taskSupport: 'required' };

    async execute() {
        await sleep(BRIEF_MS);
        return 'done as a task';
    }
}

class Either extends Tool {
    name = 'either';

    async execute() {
        await sleep(BRIEF_MS);
        return 'done either way';
    }
}

const [transport, port] = process.argv.slice(2);
const server = new MCPServer({
    name: 'mcp-framework-fixture',
    version: '1.0.0',
    logging: true,
    tasks: { enabled: true, defaultPollInterval: 100, maxTasks: 10_000 },
    transport: transport === 'http' ? { type: 'http-stream', options: { port: Number(port), host: '127.0.0.1' } } : { type: 'stdio' }
});
const tools = [
    Completes, Structured, Slow, FailsToolError, AsksElicitation, AsksSampling, AsksTwice, AsksMany, ReportsProgress, Logs, Floods,
    IgnoresCancel, Counts, PlainOnly, TaskOnly, Either
];
tools.forEach(tool => server.addTool(tool));
await server.start();
