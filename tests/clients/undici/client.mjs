// SPDX-License-Identifier: Apache-2.0
// Two GETs through undici's RetryAgent; `client.mjs N` sets its maxRetries.
import { Agent, RetryAgent, request } from 'undici';

const dispatcher = new RetryAgent(new Agent(), { maxRetries: Number(process.argv[2] ?? 3), minTimeout: 500, timeoutFactor: 2 });
for (const path of ['/first', '/second']) {
    try {
        const { body } = await request(process.env.THROTTLESCOPE_URL + path, { dispatcher });
        await body.dump();
    } catch (error) {
        console.error(`${path}: ${error.code} ${error.statusCode}`); // what its maxRetries end in
    }
}
await dispatcher.close();
