// The addresses of resources below the base, as the protocol names them.

export const endpointPaths = { users: '/Users', groups: '/Groups', devices: '/Devices' } as const
