// Where scans are set up. Apart from the contract, because every home leads there and would read all of it.

export const configScreen = { path: '/config/discovery/:provider/:id?' } as const
