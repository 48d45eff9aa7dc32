// Prepares a test file: the parts of a browser that jsdom lacks, a page on which nothing of another file is left, and after each test an empty one.

import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'
import './browser-parts.ts'
import { openFreshPage } from './fresh-page.ts'

openFreshPage()
afterEach(cleanup)
