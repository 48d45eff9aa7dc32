// The tenancy's colour: typed or picked, and shown as the console will show it in both themes, after it was made readable.

import { Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { formatLocale, t } from '#core/console/text.ts'
import { contrast, surfaces, tenantColours } from '#core/contract/colour.ts'
import { Colour } from './rules.ts'

export function ColourField({
  name,
  value = '',
  onChange,
  onBlur,
  error,
  shownAs,
}: FieldBinding<string | undefined> & { shownAs: string }) {
  const valid = Colour.safeParse(value).success
  return (
    <Stack gap="xs">
      <TextInput
        data-field={name}
        label={t('Colour')}
        description={t('A line above everything that people of this tenancy see. Contrast is kept whatever you choose.')}
        error={error}
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={7}
        styles={{ wrapper: { maxWidth: 220 } }}
        value={value}
        onBlur={onBlur}
        onChange={(event) => onChange(event.currentTarget.value)}
        leftSectionWidth={44}
        leftSection={
          // The kit's own input would take the id of the field around it, and the label with it.
          <input
            type="color"
            aria-label={t('Pick a colour')}
            value={valid ? value.toLowerCase() : '#000000'}
            onChange={(event) => onChange(event.currentTarget.value)}
            style={{ width: 30, height: 24, padding: 0, border: 0, background: 'none', cursor: 'pointer' }}
          />
        }
      />
      {valid && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} role="group" aria-label={t('Preview of the colour')}>
          <Preview theme="light" colour={value} name={shownAs} />
          <Preview theme="dark" colour={value} name={shownAs} />
        </SimpleGrid>
      )}
    </Stack>
  )
}

const ratio = (one: string, other: string): string =>
  new Intl.NumberFormat(formatLocale(), { maximumFractionDigits: 1 }).format(contrast(one, other))

// The panels show a theme that is not on, so their colours are the theme's own and not the page's variables.
function Preview({ theme, colour, name }: { theme: keyof typeof surfaces; colour: string; name: string }) {
  const colours = tenantColours(colour, theme)
  const [surface] = surfaces[theme]
  if (colours === undefined) return null
  const [ink, dim] = theme === 'light' ? ['#1a2029', '#566070'] : ['#e3e7ed', '#a2abb9']
  return (
    <div
      style={{
        background: surface,
        color: ink,
        borderRadius: 6,
        border: '1px solid var(--chancery-line)',
        borderBlockStart: `3px solid ${colours.line}`,
        padding: 12,
      }}
    >
      <Stack gap={6}>
        <Text size="sm" style={{ color: dim }}>
          {theme === 'light' ? t('Light') : t('Dark')}
        </Text>
        <Text fw={600} style={{ color: colours.text }}>
          {name === '' ? t('Your organisation') : name}
        </Text>
        <Group gap="xs">
          <span
            style={{ background: colours.fill, color: colours.onFill, borderRadius: 6, padding: '4px 12px', fontSize: 14, fontWeight: 500 }}
          >
            {t('Acting here')}
          </span>
          <Text size="sm" style={{ color: dim }}>
            {t('Contrast {ratio} : 1', { ratio: ratio(colours.text, surface) })}
          </Text>
        </Group>
        {colours.text.toLowerCase() !== colour.toLowerCase() && (
          <Text size="sm" style={{ color: dim }}>
            {t('{from} becomes {to} here, so that it can be read.', { from: colour, to: colours.text })}
          </Text>
        )}
      </Stack>
    </div>
  )
}
