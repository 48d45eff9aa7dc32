// The one cache of what was read from the server.

import { QueryClient } from '@tanstack/react-query'
import { asCallFault } from './call-fault.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 1 && asCallFault(error).code === 'network_error',
      retryDelay: 500,
      refetchOnWindowFocus: false,
    },
    mutations: { retry: false },
  },
})
