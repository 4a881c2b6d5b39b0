"""Files of the judge `embedded:large`: assay finds them beside this one."""
