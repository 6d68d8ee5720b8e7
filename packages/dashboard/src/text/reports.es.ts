import { counted } from './locale.ts';
import type { reports as english } from './reports.en.ts';

export const reports: typeof english = {
  reports: {
    download: 'Descargar un período',
    downloadExplain:
      'Visitantes en un archivo para una hoja de cálculo, con los mismos días de la semana anteriores.',
    table: 'Tabla',
    tables: {
      day: 'Por días',
      hour: 'Por horas',
      week: 'Por semanas',
      month: 'Por meses',
      stores: 'Por tiendas',
    },
    scope: 'Qué tiendas',
    allStores: 'Todas las tiendas',
    groups: 'Grupos',
    stores: 'Tiendas',
    someStores: (n: number) => counted(n, { one: 'tienda', other: 'tiendas' }),
    from: 'Desde',
    to: 'Hasta',
    wrongPeriod: 'Introduzca dos fechas, primero la anterior.',
    byMail: 'Informes por correo',
    explain:
      'Un informe llega diez minutos después de que cierre la última de sus tiendas y dice si está completo. Si llegan datos más tarde, recibe uno corregido.',
    none: 'Todavía no se envía ningún informe.',
    add: 'Añadir un informe',
    name: 'Nombre',
    period: 'Con qué frecuencia',
    periods: { daily: 'Cada día', weekly: 'Cada semana', monthly: 'Cada mes' },
    recipients: 'Direcciones de correo, una por línea',
    enabled: 'Se envía',
    off: 'Desactivado',
    remove: 'Eliminar',
    sent: (time: string) => `Último envío: ${time}`,
    neverSent: 'Aún no enviado',
    problem: 'El último correo no se pudo enviar. Se intenta de nuevo.',
    refused: 'No se puede guardar. Compruebe el nombre, que debe ser nuevo, y las direcciones.',
  },
};
