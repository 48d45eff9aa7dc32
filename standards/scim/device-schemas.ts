// The schemas of devices (RFC 9944), by their names.

export const deviceSchemas = {
  core: 'urn:ietf:params:scim:schemas:core:2.0:Device',
  ethernet: 'urn:ietf:params:scim:schemas:extension:ethernet-mab:2.0:Device',
  easyConnect: 'urn:ietf:params:scim:schemas:extension:dpp:2.0:Device',
  zigbee: 'urn:ietf:params:scim:schemas:extension:zigbee:2.0:Device',
  bluetooth: 'urn:ietf:params:scim:schemas:extension:ble:2.0:Device',
} as const
