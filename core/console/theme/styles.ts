// The kit's ground, then ours. The styles of its components come with them (build/styles-plugin.ts), in the order in which they build on each other; the
// server for development, which reads the kit's code elsewhere, takes all at once.

import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/global.css'
import './console.css'

if (import.meta.env.DEV) void import('@mantine/core/styles.css')
