// What surrounds every screen: the theme, the cache, the toasts, the questions; around it all the last boundary for errors.

import { MantineProvider, type MantineColorScheme } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { Component, useState, type ReactNode } from 'react'
import { ConfirmHost } from './kit/confirm.tsx'
import { usePreference } from './preferences.ts'
import { queryClient } from './query-client.ts'
import { ErrorScreen } from './screens/UnexpectedError.tsx'
import { Toasts } from './shell/Toasts.tsx'
import { makeTheme, themeVariables } from './theme/theme.ts'

const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// The kit's scroll lock writes a style element of its own, and looks for the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

/** The scheme is the person's preference; the kit's own storage is not used. */
const noStorage = {
  get: (preset: MantineColorScheme) => preset,
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
}

export function ConsoleRoot({ children, env = 'default' }: { children: ReactNode; env?: 'default' | 'test' }) {
  const scheme = usePreference('theme')
  const [theme] = useState(makeTheme)
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      getStyleNonce={styleNonce}
      colorSchemeManager={noStorage}
      env={env}
      {...(scheme === 'auto' ? { defaultColorScheme: 'auto' as const } : { forceColorScheme: scheme })}
    >
      <QueryClientProvider client={queryClient}>
        <LastBoundary>
          {children}
          <Toasts />
          <ConfirmHost />
        </LastBoundary>
      </QueryClientProvider>
    </MantineProvider>
  )
}

// React knows error boundaries as classes only.
class LastBoundary extends Component<{ children: ReactNode }, { failed: { error: unknown } | undefined }> {
  override state: { failed: { error: unknown } | undefined } = { failed: undefined }
  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } }
  }
  override render() {
    return this.state.failed === undefined ? this.props.children : <ErrorScreen error={this.state.failed.error} />
  }
}
