// The profiles that come with the product: what each gives, and one step to have it at an authority.

import { Button, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { templates } from '../contract.ts'
import { certificateClasses, keyKinds } from '../rules.ts'
import { approversText, validityText } from './labels.ts'

type System = OutputOf<typeof templates.calls.system>

export function SystemTemplates() {
  const query = useCall(templates.calls.system, {})
  const may = useMay()
  const [chosen, setChosen] = useState<string>()
  return (
    <Page
      title={t('System templates')}
      intro={t('Profiles that are right from the start. Added to an authority, each becomes a template of its own, which can be changed.')}
    >
      <Loaded query={query}>
        {({ templates: system, authorities: known }) => {
          const caId = chosen ?? known[0]?.caId
          return (
            <Stack gap="md">
              {known.length === 0 ? (
                <Text c="dimmed">{t('There is no authority to add them to yet.')}</Text>
              ) : (
                <Select
                  label={t('Authority')}
                  maw={360}
                  allowDeselect={false}
                  data={known.map((authority) => ({ value: authority.caId, label: authority.friendlyName }))}
                  value={caId ?? null}
                  onChange={(picked) => setChosen(picked ?? undefined)}
                />
              )}
              <SimpleGrid cols={{ base: 1, lg: 2 }}>
                {system.map((one) => (
                  <SystemTemplate key={one.templateName} template={one} caId={caId} />
                ))}
                <Section
                  title={t('Subordinate authority')}
                  intro={t(
                    'An authority below another. It is no template: it is made with its key, its path length and its name constraints.',
                  )}
                >
                  {may('manageCAs') && (
                    <Group>
                      <LinkButton variant="default" to={to(authorities.screens.manage)}>
                        {t('Authorities')}
                      </LinkButton>
                    </Group>
                  )}
                </Section>
              </SimpleGrid>
            </Stack>
          )
        }}
      </Loaded>
    </Page>
  )
}

function SystemTemplate({ template, caId }: { template: System['templates'][number]; caId: string | undefined }) {
  const add = useSend(templates.calls.addSystem, { invalidates: ['licensing', 'certificates'] })
  const present = caId !== undefined && template.presentAt.includes(caId)
  return (
    <Section
      title={t(template.displayName)}
      intro={t(template.says)}
      actions={present ? <Status of="done" label={t('Already there')} /> : undefined}
    >
      <Facts
        items={[
          { label: t('For'), value: t(certificateClasses[template.class].label) },
          { label: t('Names'), value: template.names.map((name) => t(name)).join(', ') },
          { label: t('Key usages'), value: template.keyUsages.map((name) => t(name)).join(', ') },
          { label: t('Extended usages'), value: template.extendedUsages.map((name) => t(name)).join(', ') },
          { label: t('Keys'), value: template.keys.map((name) => keyKinds[name].label).join(', ') },
          { label: t('Valid for'), value: validityText(template.validityPeriod, template.validityPeriodUnits) },
          { label: t('Approval'), value: approversText(template.issueApprovers) },
        ]}
      />
      {add.fault !== undefined && <FaultAlert fault={add.fault} />}
      {caId !== undefined && !present && (
        <Group>
          <Button
            variant="default"
            loading={add.pending}
            onClick={() => void add.run({ templateName: template.templateName, caId }).catch(() => {})}
          >
            {t('Add {template} to the authority', { template: t(template.displayName) })}
          </Button>
        </Group>
      )}
    </Section>
  )
}
