// How the installation is set up. It is changed where the server is started, so this page only says by what.

import { Text } from '@mantine/core'
import { useParams } from 'react-router'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { configuration } from '../contract.ts'
import { factLabels } from '../rules.ts'

const parts = {
  general: { label: 'General' },
  outward: { label: 'Outgoing connections' },
  keys: { label: 'Mail and keys' },
} as const

const isPart = (name: string): name is keyof typeof parts => Object.hasOwn(parts, name)

const labelOf = (name: string): string => (Object.hasOwn(factLabels, name) ? t(factLabels[name as keyof typeof factLabels].label) : name)

export function Installation() {
  const { tab = '' } = useParams()
  const part = isPart(tab) ? tab : 'general'
  const query = useCall(configuration.calls.installation, {})
  return (
    <Page title={t('Installation')} intro={t('How this server is set up. Its settings are changed where it is started.')} narrow>
      <Loaded query={query}>
        {(facts) => (
          <Section title={t(parts[part].label)}>
            <Facts
              items={facts[part].map(({ name, value, setBy }) => ({
                label: labelOf(name),
                value: (
                  <>
                    <Text inherit component="span">
                      {value === '' ? t('None') : value}
                    </Text>
                    {setBy !== undefined && (
                      <Text size="sm" c="dimmed" ff="monospace">
                        {setBy}
                      </Text>
                    )}
                  </>
                ),
              }))}
            />
          </Section>
        )}
      </Loaded>
    </Page>
  )
}
