// Where a security client listens on the machine of whoever sits there: at the first of these ports that is free. The console looks for it at each.

export const clientPorts: readonly number[] = [8477, 8478, 8479, 8480]
export const clientAddresses: readonly string[] = clientPorts.map((port) => `http://127.0.0.1:${port}`)
