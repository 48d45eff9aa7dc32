// The kit's look: calm, dense, legible. Its accessibility faults are mended here, once: error and hint texts that can be read, close
// buttons with a name, contrast that holds in both schemes.

import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { t } from '../text.ts'

const blue: MantineColorsTuple = [
  '#eef4fd',
  '#dbe7fa',
  '#b5cdf4',
  '#8bb1ee',
  '#6798e8',
  '#4a80da',
  '#346bc8',
  '#2558ad',
  '#1d478d',
  '#15366d',
]
const red: MantineColorsTuple = [
  '#fdeeee',
  '#fbdcdc',
  '#f5b5b5',
  '#f29b9b',
  '#ee8080',
  '#dd5050',
  '#cb3434',
  '#b42525',
  '#931d1d',
  '#721616',
]
const green: MantineColorsTuple = [
  '#e9f7ef',
  '#d0eedd',
  '#a3dcbb',
  '#74ca98',
  '#4fba7d',
  '#2f9a60',
  '#21834e',
  '#196d40',
  '#135633',
  '#0e4227',
]
const yellow: MantineColorsTuple = [
  '#fdf5e3',
  '#fae8c0',
  '#f4d184',
  '#efbb4b',
  '#e0a526',
  '#b98312',
  '#976908',
  '#7c5504',
  '#624303',
  '#4a3202',
]
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eceff3',
  '#e0e4ea',
  '#d0d6de',
  '#b2bbc7',
  '#8a95a4',
  '#65707f',
  '#4c5665',
  '#343c48',
  '#20262f',
]
const dark: MantineColorsTuple = [
  '#d9dee6',
  '#b8c0cc',
  '#98a2b1',
  '#6d7787',
  '#424a57',
  '#303742',
  '#1f242c',
  '#14171c',
  '#0f1216',
  '#0b0d10',
]

const motion = { duration: 120 }

const dense = { '--button-height': '32px', '--button-padding-x': '12px' }

type Sized = { size?: unknown }

// The components are named, not imported: a theme that imported them would put all of them into the first load.

/** Made after the language is known: it names the close buttons. */
export const makeTheme = () =>
  createTheme({
    colors: { blue, red, green, yellow, gray, dark },
    primaryColor: 'blue',
    primaryShade: { light: 7, dark: 6 },
    defaultRadius: 6,
    radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    lineHeights: { xs: '1.35', sm: '1.4', md: '1.4286', lg: '1.45', xl: '1.5' },
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '20px', lineHeight: '28px' },
        h2: { fontSize: '16px', lineHeight: '24px' },
        h3: { fontSize: '15px', lineHeight: '22px' },
        h4: { fontSize: '14px', lineHeight: '20px' },
      },
    },
    cursorType: 'pointer',
    respectReducedMotion: true,
    focusRing: 'auto',
    components: {
      Button: {
        defaultProps: { size: 'sm' },
        vars: (_theme: unknown, { size }: Sized) => ({ root: size === 'sm' || size === undefined ? dense : {} }),
        styles: { label: { fontWeight: 500 } },
      },
      ActionIcon: { defaultProps: { size: 28 } },
      Input: {
        vars: (_theme: unknown, { size }: Sized) => ({
          wrapper: size === 'sm' || size === undefined ? { '--input-height': '32px', '--input-fz': '14px' } : {},
        }),
      },
      InputWrapper: {
        defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
        styles: { label: { fontWeight: 500, marginBottom: 2 } },
      },
      CloseButton: { defaultProps: { 'aria-label': t('Close') } },
      Modal: {
        defaultProps: {
          centered: true,
          transitionProps: { transition: 'fade', duration: 300 },
          overlayProps: { transitionProps: { transition: 'fade', duration: 150 }, backgroundOpacity: 0.45 },
          closeButtonProps: { 'aria-label': t('Close') },
          radius: 8,
        },
        styles: { title: { fontWeight: 600, fontSize: 16 } },
      },
      // Their header element would count as a second banner of the page.
      ModalHeader: { defaultProps: { role: 'none', bg: 'var(--chancery-surface)' } },
      DrawerHeader: { defaultProps: { role: 'none', bg: 'var(--chancery-surface)' } },
      Drawer: {
        defaultProps: {
          transitionProps: { duration: 150 },
          overlayProps: { transitionProps: { duration: 150 } },
          closeButtonProps: { 'aria-label': t('Close') },
        },
      },
      Popover: {
        defaultProps: {
          offset: 8,
          shadow: 'md',
          transitionProps: motion,
          middlewares: { flip: true, shift: { padding: 5 }, inline: false },
        },
      },
      // Not in a portal: what stands outside every landmark is not found by a screen reader.
      Menu: {
        defaultProps: {
          withInitialFocusPlaceholder: false,
          withinPortal: false,
          floatingStrategy: 'fixed',
          offset: 8,
          shadow: 'md',
          transitionProps: motion,
          middlewares: { flip: true, shift: { padding: 5 } },
        },
      },
      Tooltip: {
        defaultProps: {
          withinPortal: false,
          floatingStrategy: 'fixed',
          offset: 6,
          transitionProps: motion,
          middlewares: { flip: true, shift: { padding: 5 } },
          events: { hover: true, focus: true, touch: false },
        },
      },
      Paper: { defaultProps: { radius: 6 } },
      // Colour alone is no sign (WCAG 1.4.1). Where the place tells, as with the names of a list, it says `underline="hover"`.
      Anchor: { defaultProps: { underline: 'always', inherit: true } },
      Alert: { defaultProps: { radius: 6 } },
      Badge: { defaultProps: { variant: 'default', radius: 'sm' }, styles: { root: { textTransform: 'none', fontWeight: 500 } } },
    },
  })

/** The kit's own variables whose contrast does not hold. */
export const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-text': '#1a2029',
    '--mantine-color-dimmed': '#566070',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-error': '#b42525',
    '--mantine-color-anchor': '#2558ad',
    '--mantine-color-default': '#ffffff',
    '--mantine-color-default-hover': '#f6f7f9',
    '--mantine-color-default-border': '#cdd3dc',
    '--mantine-color-red-light': '#fdf0f0',
    '--mantine-color-red-light-hover': '#fae3e3',
    '--mantine-color-blue-light': '#eef4fd',
    '--mantine-color-blue-light-hover': '#e1ecfb',
    '--mantine-color-green-light': '#ecf8f1',
    '--mantine-color-green-light-hover': '#dff2e7',
    '--mantine-color-yellow-light': '#fdf6e6',
    '--mantine-color-yellow-light-hover': '#faeed2',
    '--mantine-color-red-light-color': '#a81f1f',
    '--mantine-color-blue-light-color': '#1d478d',
    '--mantine-color-green-light-color': '#135633',
    '--mantine-color-yellow-light-color': '#624303',
    '--mantine-color-gray-light-color': '#343c48',
  },
  dark: {
    '--mantine-color-body': '#14171c',
    '--mantine-color-text': '#e3e7ed',
    '--mantine-color-dimmed': '#a2abb9',
    '--mantine-color-placeholder': '#8f99a8',
    '--mantine-color-error': '#f59a9a',
    '--mantine-color-anchor': '#8bb4f2',
    '--mantine-color-default': '#1f242c',
    '--mantine-color-default-hover': '#272c36',
    '--mantine-color-default-border': '#3b4350',
    '--mantine-color-red-light': '#33201f',
    '--mantine-color-red-light-hover': '#3d2625',
    '--mantine-color-blue-light': '#1c2a40',
    '--mantine-color-blue-light-hover': '#22334e',
    '--mantine-color-green-light': '#1a2d23',
    '--mantine-color-green-light-hover': '#20372b',
    '--mantine-color-yellow-light': '#302817',
    '--mantine-color-yellow-light-hover': '#3a301c',
    '--mantine-color-red-light-color': '#f5a3a3',
    '--mantine-color-blue-light-color': '#a5c5f5',
    '--mantine-color-green-light-color': '#8fdcb0',
    '--mantine-color-yellow-light-color': '#f0cb7a',
    '--mantine-color-gray-light-color': '#c4cbd6',
  },
})
