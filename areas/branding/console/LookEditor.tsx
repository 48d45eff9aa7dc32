import { Button, FileButton, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ColourField } from '#areas/tenancy/ColourField.tsx'
import { CheckboxField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { formatLocale, t } from '#core/console/text.ts'
import { textContrast } from '#core/contract/colour.ts'
import { branding } from '../contract.ts'
import { bandContrast } from '../rules.ts'
import { BandPreview } from './BandPreview.tsx'

type Values = {
  domain: string
  altAppName: string
  primaryColour: string
  secondaryColour: string
  tertiaryColour: string
  icon: string
  logoContainsAppName: boolean
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read')))
    reader.readAsDataURL(file)
  })

export function LookEditor({
  initial,
  fresh,
  onCancel,
  onDone,
}: {
  initial: Values
  fresh: boolean
  onCancel: () => void
  onDone: () => Promise<void>
}) {
  const [values] = useState(() => ({
    domain: initial.domain,
    altAppName: initial.altAppName,
    primaryColour: initial.primaryColour,
    secondaryColour: initial.secondaryColour,
    tertiaryColour: initial.tertiaryColour,
    icon: initial.icon,
    logoContainsAppName: initial.logoContainsAppName,
  }))
  return (
    <Form
      call={branding.calls.change}
      initial={values}
      toInput={({ icon, ...rest }: Values) => ({ ...rest, ...(icon === initial.icon ? {} : { icon }) })}
      submit={t('Save look')}
      cancel={{ label: t('Cancel'), onClick: onCancel }}
      onDone={onDone}
    >
      {(form) => {
        const { altAppName, icon, logoContainsAppName, domain } = form.values
        const ratio = bandContrast(form.values)
        return (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Stack gap="md">
              {fresh ? (
                <TextField
                  {...form.field('domain')}
                  label={t('Host')}
                  hint={t('A name below a domain that is proved, such as pki.example.com')}
                  required
                />
              ) : (
                <Text fw={600}>{domain}</Text>
              )}
              <TextField {...form.field('altAppName')} label={t('Name shown')} hint={t('Left empty, the name of the tenancy.')} />
              <Stack gap={6}>
                <Text size="sm" fw={500}>
                  {t('Logo')}
                </Text>
                <Group gap="xs">
                  <FileButton
                    accept="image/png,image/jpeg,image/gif,image/bmp"
                    onChange={(file) => {
                      if (file !== null) void dataUrlOf(file).then((url) => form.set('icon', url))
                    }}
                  >
                    {(props) => (
                      <Button variant="default" {...props}>
                        {icon === '' ? t('Choose logo') : t('Choose another logo')}
                      </Button>
                    )}
                  </FileButton>
                  {icon !== '' && (
                    <Button variant="subtle" color="red" onClick={() => form.set('icon', '')}>
                      {t('Remove logo')}
                    </Button>
                  )}
                </Group>
                {form.error('icon') !== undefined && (
                  <Text size="sm" c="var(--chancery-bad)">
                    {form.error('icon')}
                  </Text>
                )}
              </Stack>
              <CheckboxField
                {...form.field('logoContainsAppName')}
                label={t('The logo holds the name, so the name is not written beside it')}
              />
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextField {...form.field('secondaryColour')} label={t('Background of the band')} hint={t('Such as #14324f')} />
                <TextField {...form.field('tertiaryColour')} label={t('Text on the band')} hint={t('Such as #ffffff')} />
              </SimpleGrid>
              {ratio !== undefined && (
                <Text size="sm" c={ratio >= textContrast ? 'var(--chancery-good)' : 'var(--chancery-bad)'} role="status">
                  {ratio >= textContrast
                    ? t('Contrast {ratio} : 1, it can be read', { ratio: shownRatio(ratio) })
                    : t('Contrast {ratio} : 1, it cannot be read: 4.5 : 1 is needed', { ratio: shownRatio(ratio) })}
                </Text>
              )}
            </Stack>
            <Stack gap="md">
              <ColourField {...form.field('primaryColour')} shownAs={altAppName} />
              <BandPreview
                name={altAppName === '' ? t('Your organisation') : altAppName}
                icon={icon}
                logoHoldsName={logoContainsAppName}
                background={form.values.secondaryColour}
                text={form.values.tertiaryColour}
                line={form.values.primaryColour}
              />
            </Stack>
          </SimpleGrid>
        )
      }}
    </Form>
  )
}

const shownRatio = (ratio: number): string => new Intl.NumberFormat(formatLocale(), { maximumFractionDigits: 1 }).format(ratio)
